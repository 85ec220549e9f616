/** The name and the content type of the file that an export writes. */
import { FILE_FORMATS, writtenContentTypeOf } from '../../formats/file-format.js';
import { type ExportFormat, writtenFormat } from '../model/export-format.js';
import { EXPORT_TYPES } from '../model/export-job.js';
import type { ExportFormatting, ExportSpec } from '../model/export-spec.js';

interface NamedFile {
  readonly type: string;
  readonly name: string;
  readonly contentType: string;
}

/** The name is such as `item-export-de-2026-01-31T09-30-00Z.csv.gz`. */
export function fileOf({ entity, formatting }: ExportSpec, startedAt: Date): NamedFile {
  const type = EXPORT_TYPES[entity];
  const parts = [
    type.toLowerCase().replace('_', '-'),
    ...(formatting.locale === null ? [] : [formatting.locale]),
    timeIn(startedAt),
  ];
  return {
    type,
    name: `${parts.join('-')}.${entity === 'site' ? 'zip' : endingOf(formatting)}`,
    contentType: entity === 'site' ? 'application/zip' : contentTypeIn(formatting),
  };
}

/** The time without colons, which some systems do not allow in file names. */
function timeIn(instant: Date): string {
  return `${instant.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

function endingOf(formatting: ExportFormatting): string {
  const format = namedFormat(formatting);
  const [ending] = (format === 'TSV' ? FILE_FORMATS.TSV : writtenFormat(format)).extensions;
  return formatting.gzip ? `${ending}.gz` : ending;
}

function contentTypeIn(formatting: ExportFormatting): string {
  const format = namedFormat(formatting);
  if (format === 'PARQUET') return writtenFormat(format).mediaType;
  return writtenContentTypeOf({ format, gzip: formatting.gzip });
}

/** CSV with tabs is named TSV. */
function namedFormat({ format, delimiter }: ExportFormatting): ExportFormat | 'TSV' {
  return format === 'CSV' && delimiter === FILE_FORMATS.TSV.delimiter ? 'TSV' : format;
}
