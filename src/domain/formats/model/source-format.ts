/** The names of the file formats, and how a file of a format is read. */

/** Format of the text inside an upload, after decompression. */
export type SourceFormat = 'CSV' | 'TSV' | 'JSON' | 'JSONL' | 'XLSX' | 'ODS' | 'XML';

/** How a file of a format is read. */
export interface FormatReading {
  /** Whether the upload is a text in some encoding, or a workbook, whose rows are converted to a table. */
  readonly reads: 'text' | 'workbook';
  /** What the text is: records with a header, one JSON value on each line, one JSON array, or the elements of XML. */
  readonly rows: 'table' | 'lines' | 'array' | 'elements';
  /**
   * The delimiter of a text's table when the options of the import name none; null when it is detected from the header.
   */
  readonly delimiter: string | null;
}
