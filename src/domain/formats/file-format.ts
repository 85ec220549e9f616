/** What a file is, by its name. */
import type { SourceFormat } from './plan-source.js';

export interface FileFormat {
  readonly format: SourceFormat;
  readonly gzip: boolean;
  /** The ending, without a leading dot: `csv`, `jsonl.gz`. */
  readonly extension: string;
}

const FORMATS: ReadonlyMap<string, SourceFormat> = new Map([
  ['csv', 'CSV'],
  ['tsv', 'TSV'],
  ['xlsx', 'XLSX'],
  ['json', 'JSON'],
  ['jsonl', 'JSONL'],
  ['ndjson', 'JSONL'],
]);

/** The endings that can be imported, as messages list them. */
export const IMPORTABLE = '.csv, .tsv, .xlsx, .json, .jsonl or .ndjson, each also with .gz';

/** The format of a file; undefined when its ending is none that can be imported. */
export function fileFormat(name: string): FileFormat | undefined {
  const match = /\.([a-z]+)(\.gz)?$/i.exec(name);
  const extension = match?.[1]?.toLowerCase() ?? '';
  const format = FORMATS.get(extension);
  if (format === undefined) return undefined;
  const gzip = match?.[2] !== undefined;
  return { format, gzip, extension: gzip ? `${extension}.gz` : extension };
}

export const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const MEDIA_TYPES: Readonly<Record<SourceFormat, string>> = {
  CSV: 'text/csv',
  TSV: 'text/tab-separated-values',
  JSON: 'application/json',
  JSONL: 'application/x-ndjson',
  XLSX: XLSX_MEDIA_TYPE,
};

/** The Content-Type of an upload in this format, as a download of it says: without a charset, for it may be in any. */
export function contentTypeOf({ format, gzip }: FileFormat): string {
  return gzip ? 'application/gzip' : MEDIA_TYPES[format];
}

/** The Content-Type of a file that we write ourselves. */
export function writtenContentTypeOf(format: FileFormat): string {
  const type = contentTypeOf(format);
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/** Of a file whose name was checked when it was announced. */
export function formatOf(name: string): FileFormat {
  const format = fileFormat(name);
  if (format === undefined) throw new Error(`the file ${name} has no importable ending`);
  return format;
}
