/** The file that an export writes, as it is named to those who download it. */
import { EXPORT_TYPES } from './export-job.js';
import type { ExportFormatting, ExportSpec } from './export-spec.js';

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
