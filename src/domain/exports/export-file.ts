/** Names of what an export writes: in the file store, and to whoever downloads it. */
import type { Job } from '../../../db/models/job.js';
import { EXPORT_TYPES } from './accept-export.js';
import type { ExportFormatting, ExportSpec } from './export-spec.js';
import { attemptsOf } from './write/begin-export.js';

/** Each attempt writes to a key of its own: one that was given up for dead may still come to its end. */
export function exportKey(jobId: string, attempt: number): string {
  return `exports/${jobId}-${attempt}`;
}

/** The keys of all attempts before the one given, or of all. */
export function keysOfAttempts(job: Pick<Job, 'id' | 'plan'>, before = attemptsOf(job) + 1): string[] {
  return Array.from({ length: before - 1 }, (_, index) => exportKey(job.id, index + 1));
}

export interface NamedFile {
  readonly type: string;
  readonly name: string;
  readonly contentType: string;
}

const ENDINGS = { CSV: 'csv', JSONL: 'jsonl', XLSX: 'xlsx' } as const;
const CONTENT_TYPES = {
  CSV: 'text/csv; charset=utf-8',
  JSONL: 'application/x-ndjson',
  XLSX: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** `item-export-de-2026-01-31T09-30-00Z.csv.gz` */
export function fileOf({ entity, formatting }: ExportSpec, startedAt: Date): NamedFile {
  const type = EXPORT_TYPES[entity];
  const parts = [
    type.toLowerCase().replace('_', '-'),
    ...(formatting.locale === null ? [] : [formatting.locale]),
    timeIn(startedAt),
  ];
  return { type, name: `${parts.join('-')}.${endingOf(formatting)}`, contentType: contentTypeOf(formatting) };
}

/** A time without colons, which some systems' file names cannot have. */
function timeIn(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

function endingOf({ format, delimiter, gzip }: ExportFormatting): string {
  const ending = format === 'CSV' && delimiter === '\t' ? 'tsv' : ENDINGS[format];
  return gzip ? `${ending}.gz` : ending;
}

function contentTypeOf({ format, delimiter, gzip }: ExportFormatting): string {
  if (gzip) return 'application/gzip';
  return format === 'CSV' && delimiter === '\t' ? 'text/tab-separated-values; charset=utf-8' : CONTENT_TYPES[format];
}
