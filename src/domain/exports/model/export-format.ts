/** The formats that exports are written in. */
import { FILE_FORMATS } from '../../formats/file-format.js';

export const EXPORT_FORMATS = ['CSV', 'JSONL', 'XLSX', 'PARQUET'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

interface WrittenFormat {
  /** The endings of file names, without a dot; files that we write have the first. */
  readonly extensions: readonly [string, ...string[]];
  readonly mediaType: string;
  /** How its rows are written. */
  readonly exports: 'table' | 'lines' | 'workbook' | 'columns';
}

/** Parquet is only written: analyses and assistants read it, and no file of items comes in it. */
const PARQUET: WrittenFormat = {
  extensions: ['parquet'],
  mediaType: 'application/vnd.apache.parquet',
  exports: 'columns',
};

export function writtenFormat(format: ExportFormat): WrittenFormat {
  return format === 'PARQUET' ? PARQUET : FILE_FORMATS[format];
}

/** The formats that hold their own compression: such a file is not compressed once more. */
export function isCompressed(format: ExportFormat): boolean {
  return ['workbook', 'columns'].includes(writtenFormat(format).exports);
}
