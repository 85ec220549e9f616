/** Writes failed rows of a workbook back out as a workbook that can be mended and uploaded as it is. */
import type { Writable } from 'node:stream';
import { canonicalDecimal } from '../../../kernel/exact-decimal.js';
import { storable } from '../../../kernel/storable-text.js';
import { csvRows } from '../../csv/parse-csv-chunk.js';
import { describeProblems, type FailedRows, isIgnoredColumn } from '../../error-rows.js';
import { type Cell, decimalCell } from '../cell.js';
import type { XlsxColumn } from '../create-xlsx-writer.js';
import { createXlsxWriter } from '../create-xlsx-writer.js';
import { isMarked, originalOfMarked } from './marked-cell.js';
import { WORKBOOK_DELIMITER, type WorkbookColumn } from './workbook-column.js';

/** So that no list of problems is longer than a cell. */
const MAX_MESSAGE_CHARACTERS = 30_000;
const ROWS_PER_WRITE = 1_000;

interface ErrorWorkbook {
  readonly headerCells: readonly string[];
  readonly columns: readonly WorkbookColumn[];
  /** Whether there is an `_extra` column: when any failed row has cells beyond the header. */
  readonly withExtra: boolean;
}

/** Failed rows with the chunk that they stand in. */
interface FailedChunk {
  readonly bytes: Buffer;
  readonly firstRow: number;
  readonly failed: FailedRows;
}

/**
 * The input's own columns but those that begin with `_`, then what is wrong; cells are numbers, dates and errors where
 * they were. Ends the sink.
 */
export async function writeErrorWorkbook(
  sink: Writable,
  chunks: AsyncIterable<FailedChunk>,
  workbook: ErrorWorkbook,
): Promise<void> {
  const { headerCells, columns, withExtra } = workbook;
  const own = headerCells.map((_, index) => index).filter((index) => !isIgnoredColumn(headerCells[index] ?? ''));
  const header: (XlsxColumn | string)[] = own.map((index) => ({
    title: headerCells[index] ?? '',
    format: columns[index]?.kind === 'text' ? 'text' : 'general',
  }));
  header.push('_row', '_column', '_code', '_message');
  if (withExtra) header.push('_extra');
  const writer = createXlsxWriter(sink, { sheetName: 'Errors', header });
  for await (const { bytes, firstRow, failed } of chunks) {
    const options = { delimiter: WORKBOOK_DELIMITER, columns: headerCells.length, firstRow, keepMarked: true };
    let lines: Cell[][] = [];
    for (const { row, cells } of csvRows(bytes, options)) {
      const problems = failed.get(row);
      if (problems === undefined) continue;
      const told = describeProblems(problems);
      const line: Cell[] = own.map((index) => cellOf(cells[index] ?? '', columns[index]));
      line.push(row, told.column, told.code, storable(told.message, MAX_MESSAGE_CHARACTERS));
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

function cellOf(text: string, column: WorkbookColumn | undefined): Cell {
  if (isMarked(text)) return originalOfMarked(text);
  if (column?.kind !== 'number') return text;
  const decimal = canonicalDecimal(text, column.decimalSeparator);
  return typeof decimal === 'string' ? decimalCell(decimal) : text;
}
