/** Wraps an applier of attributes or categories, whose rows are few, so that it warns of what is striking about them. */
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import { storable } from '../../kernel/characters.js';
import { quoted } from '../../kernel/value-problem.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { RowApplier, SourceRows } from '../rows/row-applier.js';
import { RowNotes } from '../rows/row-notes.js';
import { joinedWarnings } from './chunk-warnings.js';
import { looksMisread } from './looks-misread.js';

const MAX_COLUMN_CHARACTERS = 255;

/** What is noted about the cells of a file besides misread texts. */
export interface CellNotes {
  /** Whether the job says how its numbers are written. */
  readonly isDecided: boolean;
  readonly note: (row: CsvRow, notes: RowNotes) => void;
}

interface Notes {
  /** Texts that look as if they were read in a wrong encoding. */
  readonly texts: RowNotes;
  /** What is noted about cells, which holds for unchanged rows as well. */
  readonly cells: RowNotes;
  readonly rows: number[];
}

/** What an applier has read, with what was noted meanwhile. */
interface NotedRead<Read> {
  readonly read: Read;
  readonly notes: Notes;
}

/** @param headerCells the header of a file; null for JSON */
export function notingRows<Read>(
  applier: Omit<RowApplier<Read>, 'gather' | 'join'>,
  headerCells: readonly string[] | null,
  cellNotes?: CellNotes | undefined,
): RowApplier<NotedRead<Read>> {
  return {
    ...applier,
    read: async (source, options) => {
      const notes: Notes = { texts: new RowNotes(), cells: new RowNotes(cellNotes?.isDecided), rows: [] };
      return { read: await applier.read(watched(source, headerCells ?? [], notes, cellNotes), options), notes };
    },
    done: ({ read }) => applier.done(read),
    apply: async (trx, { read, notes: { texts, cells, rows } }, context) => {
      const result = await applier.apply(trx, read, context);
      // Every row is read, unchanged ones too, so that a later import of the file has these warnings again.
      const applied = result.outcomes.map((one) => (one === OUTCOME.unchanged ? OUTCOME.updated : one));
      const warnings = joinedWarnings(
        texts.of(() => rows, result.outcomes),
        cells.of(() => rows, applied),
      );
      return { ...result, warnings };
    },
  };
}

function watched(
  source: SourceRows,
  headerCells: readonly string[],
  notes: Notes,
  cellNotes: CellNotes | undefined,
): SourceRows {
  if (source.format !== 'CSV') {
    return { ...source, rows: watchedRows(source.rows, notes, (row) => noteMembers(row, notes.texts)) };
  }
  const note = (row: CsvRow) => {
    noteTexts(row, headerCells, notes.texts);
    if (row.problem === null) cellNotes?.note(row, notes.cells);
  };
  return { ...source, rows: watchedRows(source.rows, notes, note) };
}

function* watchedRows<Row extends CsvRow | JsonRow>(
  rows: Iterable<Row>,
  { texts, cells, rows: numbers }: Notes,
  note: (row: Row) => void,
): Generator<Row> {
  for (const row of rows) {
    note(row);
    texts.keep(row.row);
    cells.keep(row.row);
    numbers.push(row.row);
    yield row;
  }
}

function noteTexts({ cells }: CsvRow, headerCells: readonly string[], notes: RowNotes): void {
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
  notes.note('TEXT_MISREAD', column, () => ({ value: quoted(value), stored: '' }));
}
