/** Writes failed rows of a workbook that was read by a profile: with its titles, its header and its cells. */
import type { Writable } from 'node:stream';
import { storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { isAddedColumn, JOB_COLUMN } from '../model/added-columns.js';
import type { StyledCell } from '../xlsx/cell.js';
import { createXlsxWriter } from '../xlsx/create-xlsx-writer.js';
import { describeProblems } from './describe-problems.js';

/** Keeps a list of problems within the limit of a cell. */
const MAX_MESSAGE_CHARACTERS = 30_000;
const EMPTY: StyledCell = { value: null, format: 0 };

type SourceCells = readonly StyledCell[];

/** A failed row. */
export interface FailedSourceRow {
  readonly row: number;
  readonly cells: SourceCells;
  readonly problems: readonly RowProblem[];
  /** Index of a column → what is wrong with its cell. */
  readonly faults: ReadonlyMap<number, string>;
}

export interface SourceWorkbook {
  readonly sheetName: string;
  readonly header: readonly string[];
  readonly withExtra: boolean;
  readonly job: string;
  /** The rows above the header. */
  readonly titles: readonly SourceCells[];
  /** The rows that the profile leaves out after the header. */
  readonly skipped: readonly SourceCells[];
  readonly failed: AsyncIterable<FailedSourceRow>;
  /** The rows that the profile leaves out at the end; asked for after the last failed row. */
  readonly last: () => Promise<readonly SourceCells[]>;
}

/** It ends the sink. */
export async function writeSourceWorkbook(sink: Writable, workbook: SourceWorkbook): Promise<void> {
  const { sheetName, header, withExtra, job, titles, skipped } = workbook;
  const own = header.flatMap((name, index) => (isAddedColumn(name) ? [] : [index]));
  const added = ['_row', '_column', '_code', '_message', JOB_COLUMN, ...(withExtra ? ['_extra'] : [])];
  const titled = [...own.map((index) => header[index] ?? ''), ...added];
  const asTheyAre = (rows: readonly SourceCells[]) =>
    rows.map((cells) => Array.from({ length: cells.length }, (_, index) => cells[index] ?? EMPTY));
  const ofOwn = (rows: readonly SourceCells[]) => rows.map((cells) => own.map((index) => cells[index] ?? EMPTY));
  const writer = createXlsxWriter(sink, { sheetName, header: titled, styled: true, above: asTheyAre(titles) });
  await writer.write(ofOwn(skipped));
  for await (const { row, cells, problems, faults } of workbook.failed) {
    const { column, code, message } = describeProblems(problems);
    const line = own.map((index) => ({ ...(cells[index] ?? EMPTY), fault: faults.get(index) }));
    const described = [row, column, code, storable(message, MAX_MESSAGE_CHARACTERS), job];
    const extra = withExtra ? [extraOf(cells.slice(header.length))] : [];
    await writer.write([[...line, ...described, ...extra]]);
  }
  await writer.write(ofOwn(await workbook.last()));
  await writer.end();
}

function extraOf(cells: SourceCells): string {
  const texts = Array.from(cells, (cell) => textOf(cell ?? EMPTY));
  return texts.join(' | ').slice(0, MAX_MESSAGE_CHARACTERS);
}

/** The text of a cell of the source, as far as it holds one. */
function textOf({ value }: StyledCell): string {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  return 'date' in value ? value.date : value.error;
}
