/**
 * Writes failed rows of a workbook as a workbook, which can be corrected and uploaded again without other changes.
 */
import type { Writable } from 'node:stream';
import { attributeKey } from '../kernel/attribute-key.js';
import { storable } from '../kernel/characters.js';
import { canonicalDecimal } from '../kernel/exact-decimal.js';
import type { RowProblem } from '../kernel/row-problem.js';
import { csvRows } from './csv/parse-csv-chunk.js';
import { describeProblems } from './error-files/describe-problems.js';
import type { FailedRows } from './error-rows.js';
import { isAddedColumn, JOB_COLUMN } from './model/added-columns.js';
import { WORKBOOK_DELIMITER, type WorkbookColumn } from './model/workbook-column.js';
import type { Cell, StyledCell } from './xlsx/cell.js';
import { createXlsxWriter } from './xlsx/create-xlsx-writer.js';
import { decimalCell } from './xlsx/decimal-cell.js';
import { isMarked, originalOfMarked } from './xlsx/rows/marked-cell.js';
import type { OriginalRows } from './xlsx/rows/original-rows.js';
import type { XlsxColumn } from './xlsx/xlsx-column.js';

/** Keeps a list of problems within the limit of a cell. */
const MAX_MESSAGE_CHARACTERS = 30_000;
const ROWS_PER_WRITE = 1_000;

interface ErrorWorkbook {
  readonly headerCells: readonly string[];
  readonly columns: readonly WorkbookColumn[];
  /** Whether there is an `_extra` column: when any failed row has cells beyond the header. */
  readonly withExtra: boolean;
  readonly job: string;
  /** The sheet that the import read: the same options read it here. */
  readonly sheetName: string;
  /** The rows as they are in the upload; null when it is no longer kept. */
  readonly originals: OriginalRows | null;
}

/** Failed rows with the chunk that contains them. */
interface FailedChunk {
  readonly bytes: Buffer;
  readonly firstRow: number;
  readonly failed: FailedRows;
}

/**
 * Writes the input's own columns, then what is wrong. Cells keep their types and number formats; those at fault are
 * marked, and have what is wrong as a comment. It ends the sink.
 */
export async function writeErrorWorkbook(
  sink: Writable,
  chunks: AsyncIterable<FailedChunk>,
  workbook: ErrorWorkbook,
): Promise<void> {
  const { headerCells, columns, withExtra, job, sheetName, originals } = workbook;
  const own = headerCells.map((_, index) => index).filter((index) => !isAddedColumn(headerCells[index] ?? ''));
  const header: (XlsxColumn | string)[] = own.map((index) => ({
    title: headerCells[index] ?? '',
    format: columns[index]?.kind === 'text' ? 'text' : 'general',
  }));
  header.push('_row', '_column', '_code', '_message', JOB_COLUMN);
  if (withExtra) header.push('_extra');
  const writer = createXlsxWriter(sink, { sheetName, header, styled: true });
  for await (const { bytes, firstRow, failed } of chunks) {
    const options = { delimiter: WORKBOOK_DELIMITER, columns: headerCells.length, firstRow, keepMarked: true };
    let lines: (Cell | StyledCell)[][] = [];
    for (const { row, cells } of csvRows(bytes, options)) {
      const problems = failed.get(row);
      if (problems === undefined) continue;
      const described = describeProblems(problems);
      const original = await originals?.cellsOf(row);
      const faults = faultsByColumn(problems, headerCells);
      const line = own.map((index): Cell | StyledCell => {
        const { value, format } =
          original === undefined ? readCell(cells[index] ?? '', columns[index]) : (original[index] ?? EMPTY);
        return { value, format, fault: faults.get(index) };
      });
      line.push(row, described.column, described.code, storable(described.message, MAX_MESSAGE_CHARACTERS), job);
      if (withExtra) line.push(cells.slice(headerCells.length).join(' | ').slice(0, MAX_MESSAGE_CHARACTERS));
      lines.push(line);
      if (lines.length < ROWS_PER_WRITE) continue;
      await writer.write(lines);
      lines = [];
    }
    await writer.write(lines);
  }
  await writer.end();
}

const EMPTY: StyledCell = { value: null, format: 0 };
/** The built-in number format of cells that hold texts. */
const TEXT_FORMAT = 49;

/** Index of the column → what is wrong with its cell. */
function faultsByColumn(problems: readonly RowProblem[], headerCells: readonly string[]): Map<number, string> {
  const faults = new Map<number, string>();
  for (const { column, code, message } of problems) {
    const index = column === null ? -1 : headerCells.findIndex((name) => attributeKey(name) === attributeKey(column));
    if (index < 0) continue;
    const before = faults.get(index);
    faults.set(index, `${before === undefined ? '' : `${before}\n`}${code}: ${message}`);
  }
  return faults;
}

/** A cell as the import has read it. */
function readCell(text: string, column: WorkbookColumn | undefined): StyledCell {
  return { value: cellOf(text, column), format: column?.kind === 'text' ? TEXT_FORMAT : 0 };
}

function cellOf(text: string, column: WorkbookColumn | undefined): Cell {
  if (isMarked(text)) return originalOfMarked(text);
  if (column?.kind !== 'number') return text;
  const decimal = canonicalDecimal(text, column.decimalSeparator);
  return typeof decimal === 'string' ? decimalCell(decimal) : text;
}
