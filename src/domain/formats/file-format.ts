/** The formats of files, and the format of a file by its name. */
import { csvFormat } from './file-formats/csv.js';
import type { FormatDefinition } from './file-formats/definition.js';
import { jsonFormat } from './file-formats/json.js';
import { jsonlFormat } from './file-formats/jsonl.js';
import { odsFormat } from './file-formats/ods.js';
import { tsvFormat } from './file-formats/tsv.js';
import { xlsxFormat } from './file-formats/xlsx.js';
import { xmlFormat } from './file-formats/xml.js';
import type { SourceFormat } from './model/source-format.js';

/** The formats by name, in the order in which messages list them. */
export const FILE_FORMATS = {
  CSV: csvFormat,
  TSV: tsvFormat,
  XLSX: xlsxFormat,
  ODS: odsFormat,
  JSON: jsonFormat,
  JSONL: jsonlFormat,
  XML: xmlFormat,
} as const satisfies Record<SourceFormat, FormatDefinition>;

/** The names of the formats that satisfy a condition. */
export function formatsWhere(holds: (format: FormatDefinition) => boolean): SourceFormat[] {
  return (Object.keys(FILE_FORMATS) as SourceFormat[]).filter((name) => holds(FILE_FORMATS[name]));
}

export interface FileFormat {
  readonly format: SourceFormat;
  readonly gzip: boolean;
  /** The ending, without a leading dot: `csv`, `jsonl.gz`. */
  readonly extension: string;
}

const BY_EXTENSION: ReadonlyMap<string, SourceFormat> = new Map(
  formatsWhere(() => true).flatMap((name) => FILE_FORMATS[name].extensions.map((extension) => [extension, name])),
);

/** The endings that can be imported, with their dots; each may be followed by `.gz`. */
export const IMPORTABLE_ENDINGS: readonly string[] = [...BY_EXTENSION.keys()].map((extension) => `.${extension}`);

/** The same endings as messages list them. */
export const IMPORTABLE = `${IMPORTABLE_ENDINGS.slice(0, -1).join(', ')} or ${IMPORTABLE_ENDINGS.at(-1)}, each also with .gz`;

/** The format of a file; undefined when its ending cannot be imported. */
export function fileFormat(name: string): FileFormat | undefined {
  const match = /\.([a-z]+)(\.gz)?$/i.exec(name);
  const extension = match?.[1]?.toLowerCase() ?? '';
  const format = BY_EXTENSION.get(extension);
  if (format === undefined) return undefined;
  const gzip = match?.[2] !== undefined;
  return { format, gzip, extension: gzip ? `${extension}.gz` : extension };
}

const GZIP_TYPE = 'application/gzip';

/**
 * The Content-Type of an upload in this format when it is downloaded. It has no charset, because an upload may be in
 * any.
 * @param charset of a text whose encoding is known
 */
export function contentTypeOf({ format, gzip }: Pick<FileFormat, 'format' | 'gzip'>, charset?: string): string {
  const type = gzip ? GZIP_TYPE : FILE_FORMATS[format].mediaType;
  return charset !== undefined && type.startsWith('text/') ? `${type}; charset=${charset}` : type;
}

/** The Content-Type of a file that we write ourselves. */
export function writtenContentTypeOf(format: Pick<FileFormat, 'format' | 'gzip'>): string {
  return contentTypeOf(format, 'utf-8');
}

/**
 * The name of a file that we write from the rows of another: we write no ODS, and all who read it read XLSX; for XML we
 * write CSV, whose columns are the paths of the values.
 */
export function writtenName(name: string): string {
  return name.replace(/\.ods(?=(?:\.gz)?$)/i, '.xlsx').replace(/\.xml(?=(?:\.gz)?$)/i, '.csv');
}

/** The format of a file whose name was checked when it was announced. */
export function formatOf(name: string): FileFormat {
  const format = fileFormat(name);
  if (format === undefined) throw new Error(`the file ${name} has no importable ending`);
  return format;
}
