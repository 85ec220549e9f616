/** Names of what an export writes: in the file store, and to whoever downloads it. */
import type { Job } from '../../../db/models/job.js';
import { FILE_FORMATS, writtenContentTypeOf } from '../formats/file-format.js';
import type { SourceFormat } from '../formats/source-contract.js';
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

/** `item-export-de-2026-01-31T09-30-00Z.csv.gz` */
export function fileOf({ entity, formatting }: ExportSpec, startedAt: Date): NamedFile {
  const type = EXPORT_TYPES[entity];
  const parts = [
    type.toLowerCase().replace('_', '-'),
    ...(formatting.locale === null ? [] : [formatting.locale]),
    timeIn(startedAt),
  ];
  return {
    type,
    name: `${parts.join('-')}.${endingOf(formatting)}`,
    contentType: writtenContentTypeOf({ format: namedFormat(formatting), gzip: formatting.gzip }),
  };
}

/** A time without colons, which some systems' file names cannot have. */
function timeIn(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

function endingOf(formatting: ExportFormatting): string {
  const [ending] = FILE_FORMATS[namedFormat(formatting)].extensions;
  return formatting.gzip ? `${ending}.gz` : ending;
}

/** CSV with tabs is called what it is. */
function namedFormat({ format, delimiter }: ExportFormatting): SourceFormat {
  return format === 'CSV' && delimiter === FILE_FORMATS.TSV.delimiter ? 'TSV' : format;
}
