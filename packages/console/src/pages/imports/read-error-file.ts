/** Reads the error file of a job: text with delimiters, JSON, or a workbook. */
import { fetchPart } from '../../newer-version.js';
import { parseCsv, writeCsv } from './csv.js';
import { cellKey, type Edits, type ErrorTable, type FailedRow } from './error-table.js';
import { readJsonErrors } from './json-error-table.js';
import { nameWithin, packed, unpacked } from './packed.js';

/** The columns that an error file has besides those of the user; what is between them is the delimiter. */
const OWN_COLUMNS = /([^"\w])"?_row"?\1"?_column"?\1"?_code/;

const WORKBOOK = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * A profile may say that a backslash stands before quotes. Whether it does is not known here, and only the API reads and writes such
 * texts without a change of what was not corrected.
 */
const MAYBE_ESCAPED = /\\["'\\]/;

/** What is unpacked of a compressed file; a larger one is corrected elsewhere. */
const MOST_UNPACKED = 30_000_000;
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  txt: 'text/csv',
  tsv: 'text/tab-separated-values',
  tab: 'text/tab-separated-values',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  xlsx: WORKBOOK,
};

/**
 * @param name of the file, which says what is in it if it is compressed
 * @param hasProfile whether the job has read its file by a profile
 * @returns undefined: the file is very large, or has an encoding that is not known or that browsers do not know; it is corrected elsewhere
 */
export async function readErrorFile(
  answer: Response,
  name: string,
  hasProfile: boolean,
): Promise<ErrorTable | undefined> {
  const type = answer.headers.get('content-type') ?? '';
  const charset = /charset=([\w-]+)/.exec(type)?.[1];
  const inner = nameWithin(name);
  if (inner === undefined) return readPlain({ bytes: await answer.blob(), type, charset, hasProfile });
  const bytes = await unpacked(await answer.blob(), MOST_UNPACKED);
  const innerType = TYPES[/\.(\w+)$/.exec(inner)?.[1]?.toLowerCase() ?? ''] ?? '';
  // Of a file that a profile has read, an earlier release does not say in which encoding it is.
  const isUnknown = hasProfile && charset === undefined && innerType !== WORKBOOK && bytes?.some((byte) => byte > 0x7f);
  if (bytes === undefined || isUnknown === true) return undefined;
  const blob = new Blob([bytes], { type: innerType });
  const table = await readPlain({ bytes: blob, type: innerType, charset, hasProfile });
  if (table === undefined) return undefined;
  return { ...table, write: async (edits, leftOut) => packed(await table.write(edits, leftOut)) };
}

interface PlainFile {
  readonly bytes: Blob;
  readonly type: string;
  /** Undefined: UTF-8, or it is corrected elsewhere. */
  readonly charset: string | undefined;
  readonly hasProfile: boolean;
}

async function readPlain({ bytes, type, charset, hasProfile }: PlainFile): Promise<ErrorTable | undefined> {
  if (type === WORKBOOK) {
    const { readErrorWorkbook } = await fetchPart(() => import('./workbook/error-workbook.js'));
    return readErrorWorkbook(bytes);
  }
  const isJson = /^application\/(?:x-ndjson|json)/.test(type);
  if (!isJson && !/^text\/(?:csv|tab-separated-values)/.test(type)) return undefined;
  const text = decoded(await bytes.arrayBuffer(), charset ?? 'utf-8');
  if (isJson) return text === undefined ? undefined : readJsonErrors(text, type.includes('ndjson'));
  if (text !== undefined && hasProfile && MAYBE_ESCAPED.test(text)) return undefined;
  const delimiter = text === undefined ? undefined : OWN_COLUMNS.exec(text)?.[1];
  return text === undefined || delimiter === undefined ? undefined : tableOf(parseCsv(text, delimiter), delimiter);
}

/** What has no such encoding would be written otherwise than it is. */
function decoded(bytes: ArrayBuffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
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
  const write = (edits: Edits, leftOut: ReadonlySet<number>) =>
    correctedFile({ delimiter, records, rows }, edits, leftOut);
  return { columns: names.slice(0, rowColumn), rows, write };
}

interface CsvRecords {
  readonly delimiter: string;
  /** All records of the file: titles, the header, the rows. */
  readonly records: readonly (readonly string[])[];
  readonly rows: readonly FailedRow[];
}

/**
 * The corrected file, in UTF-8: its byte order mark says so whatever encoding the profile names.
 * @param leftOut numbers of the rows that are not sent again
 */
function correctedFile({ delimiter, records, rows }: CsvRecords, edits: Edits, leftOut: ReadonlySet<number>): Blob {
  const rowsByRecord = new Map(rows.map((row) => [row.record, row]));
  const corrected = records.flatMap((cells, record) => {
    const failed = rowsByRecord.get(record);
    if (failed === undefined) return [cells];
    if (leftOut.has(failed.row)) return [];
    return [cells.map((cell, column) => edits.get(cellKey(failed.row, column)) ?? cell)];
  });
  return new Blob(['\uFEFF', writeCsv(corrected, delimiter)], { type: 'text/csv' });
}
