/** What a file is, by its name. */
import type { SourceFormat } from '../ingest/source/plan-source.js';

export interface FileFormat {
  readonly format: SourceFormat;
  readonly gzip: boolean;
  /** The ending, without a leading dot: `csv`, `jsonl.gz`. */
  readonly extension: string;
}

const FORMATS: Readonly<Record<string, SourceFormat>> = {
  csv: 'CSV',
  tsv: 'TSV',
  json: 'JSON',
  jsonl: 'JSONL',
  ndjson: 'JSONL',
};

/** The endings that can be imported, as messages list them. */
export const IMPORTABLE = '.csv, .tsv, .json, .jsonl or .ndjson, each also with .gz';

/** The format of a file; undefined when its ending is none that can be imported. */
export function fileFormat(name: string): FileFormat | undefined {
  const match = /\.([a-z]+)(\.gz)?$/i.exec(name);
  const extension = match?.[1]?.toLowerCase() ?? '';
  const format = FORMATS[extension];
  if (format === undefined) return undefined;
  const gzip = match?.[2] !== undefined;
  return { format, gzip, extension: gzip ? `${extension}.gz` : extension };
}

/** Of a file whose name was checked when it was announced. */
export function formatOf(name: string): FileFormat {
  const format = fileFormat(name);
  if (format === undefined) throw new Error(`the file ${name} has no importable ending`);
  return format;
}
