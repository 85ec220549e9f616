/** Warns about texts of attributes and categories that look as if they were read in a wrong encoding. */
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import { storable } from '../../kernel/storable-text.js';
import type { RowApplier, SourceRows } from './row-applier.js';
import { looksMisread, RowNotes } from './row-notes.js';

const MAX_COLUMN_CHARACTERS = 255;

interface Noted {
  readonly notes: RowNotes;
  readonly rows: number[];
}

/** Wraps an applier whose rows are few. @param headerCells the header of a file; null for JSON */
export function notingTexts<Read extends object>(
  applier: RowApplier<Read>,
  headerCells: readonly string[] | null,
): RowApplier<Read> {
  const known = new WeakMap<Read, Noted>();
  return {
    ...applier,
    read: async (source, options) => {
      const noted: Noted = { notes: new RowNotes(), rows: [] };
      const read = await applier.read(watched(source, headerCells ?? [], noted), options);
      known.set(read, noted);
      return read;
    },
    apply: async (trx, read, context) => {
      const result = await applier.apply(trx, read, context);
      const noted = known.get(read);
      return noted === undefined ? result : { ...result, warnings: noted.notes.of(() => noted.rows, result.outcomes) };
    },
  };
}

function watched(source: SourceRows, headerCells: readonly string[], noted: Noted): SourceRows {
  return source.format === 'CSV'
    ? { ...source, rows: watchedRows(source.rows, noted, (row) => noteCells(row, headerCells, noted.notes)) }
    : { ...source, rows: watchedRows(source.rows, noted, (row) => noteMembers(row, noted.notes)) };
}

function* watchedRows<Row extends CsvRow | JsonRow>(
  rows: Iterable<Row>,
  { notes, rows: numbers }: Noted,
  note: (row: Row) => void,
): Generator<Row> {
  for (const row of rows) {
    note(row);
    notes.keep(row.row);
    numbers.push(row.row);
    yield row;
  }
}

function noteCells({ cells }: CsvRow, headerCells: readonly string[], notes: RowNotes): void {
  for (const [index, cell] of cells.entries()) {
    const name = headerCells[index]?.trim() ?? '';
    if (name !== '' && !name.startsWith('_') && looksMisread(cell)) noteText(notes, name, cell);
  }
}

function noteMembers({ element }: JsonRow, notes: RowNotes): void {
  if (typeof element !== 'object' || element === null) return;
  for (const [name, value] of Object.entries(element)) {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    if (!name.startsWith('_') && looksMisread(text)) noteText(notes, storable(name, MAX_COLUMN_CHARACTERS), text);
  }
}

function noteText(notes: RowNotes, column: string, value: string): void {
  notes.note('TEXT_MISREAD', column, () => ({ value, stored: '' }));
}
