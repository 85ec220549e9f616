/** The error file of a job as a table: the rows that failed, in the form of the file that was sent, to be corrected and sent again. */
import { parseCsv, writeCsv } from './csv.js';

export interface FailedRow {
  /** Its number in the file that was imported. */
  readonly row: number;
  readonly cells: readonly string[];
  /** Where its record is in the error file. */
  readonly record: number;
}

export interface ErrorTable {
  readonly delimiter: string;
  /** All records of the file: titles, the header, the rows. */
  readonly records: readonly (readonly string[])[];
  /** The columns of the user, without those that say what is wrong. */
  readonly columns: readonly string[];
  readonly rows: readonly FailedRow[];
}

/** A corrected cell, by the number of its row and the index of its column. */
export type Edits = ReadonlyMap<string, string>;

export function cellKey(row: number, column: number): string {
  return `${row}:${column}`;
}

/** The columns that an error file has besides those of the user; what is between them is the delimiter. */
const OWN_COLUMNS = /([^"\w])"?_row"?\1"?_column"?\1"?_code/;

/** @returns undefined: the file is no text, or has an encoding that browsers do not know; it is corrected elsewhere */
export async function readErrorFile(answer: Response): Promise<ErrorTable | undefined> {
  const type = answer.headers.get('content-type') ?? '';
  if (!/^text\/(?:csv|tab-separated-values)/.test(type)) return undefined;
  const text = decoded(await answer.arrayBuffer(), /charset=([\w-]+)/.exec(type)?.[1] ?? 'utf-8');
  const delimiter = text === undefined ? undefined : OWN_COLUMNS.exec(text)?.[1];
  return text === undefined || delimiter === undefined ? undefined : tableOf(parseCsv(text, delimiter), delimiter);
}

function decoded(bytes: ArrayBuffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

function tableOf(records: readonly (readonly string[])[], delimiter: string): ErrorTable | undefined {
  const header = records.findIndex((cells) => cells.includes('_row') && cells.includes('_column'));
  const names = records[header];
  if (names === undefined) return undefined;
  const rowColumn = names.indexOf('_row');
  const rows = records.flatMap((cells, record): FailedRow[] => {
    const row = Number(cells[rowColumn]);
    // Rows that an import leaves out stand in the file, too, and have no number.
    return record > header && row > 0 ? [{ row, cells: cells.slice(0, rowColumn), record }] : [];
  });
  return { delimiter, records, columns: names.slice(0, rowColumn), rows };
}

/**
 * The corrected file, in UTF-8: its byte order mark says so whatever encoding the profile names.
 * @param leftOut numbers of the rows that are not sent again
 */
export function correctedFile(table: ErrorTable, edits: Edits, leftOut: ReadonlySet<number>): Blob {
  const rowsByRecord = new Map(table.rows.map((row) => [row.record, row]));
  const records = table.records.flatMap((cells, record) => {
    const failed = rowsByRecord.get(record);
    if (failed === undefined) return [cells];
    if (leftOut.has(failed.row)) return [];
    return [cells.map((cell, column) => edits.get(cellKey(failed.row, column)) ?? cell)];
  });
  return new Blob(['\uFEFF', writeCsv(records, table.delimiter)], { type: 'text/csv' });
}
