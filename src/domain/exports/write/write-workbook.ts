/** Writes the rows of an export as a workbook. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { type Cell, SpreadsheetLimitExceeded } from '../../formats/xlsx/cell.js';
import { createXlsxWriter } from '../../formats/xlsx/create-xlsx-writer.js';
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';
import { ExportRefused } from './export-refused.js';

const SHEET_NAME = 'Export';

/** Where the rows stand in the workbook. */
interface WorkbookPlace {
  readonly sheetName?: string | undefined;
  /** Blank rows above the header. */
  readonly rowsAbove?: number | undefined;
}

/**
 * @param batches batches of some hundred rows each
 * @throws ExportRefused when the rows exceed the limits of a spreadsheet
 */
export async function writeWorkbook(
  sink: Writable,
  header: readonly (string | XlsxColumn)[],
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
  signal: AbortSignal,
  { sheetName = SHEET_NAME, rowsAbove = 0 }: WorkbookPlace = {},
): Promise<void> {
  const abort = () => sink.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const closed = once(sink, 'close');
  closed.catch(() => undefined);
  try {
    const writer = createXlsxWriter(sink, { sheetName, header, above: Array.from({ length: rowsAbove }, () => []) });
    for await (const rows of batches) {
      signal.throwIfAborted();
      await writer.write(rows);
    }
    await writer.end();
    await closed;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SpreadsheetLimitExceeded)) throw error;
    throw new ExportRefused(error.limit, `${error.message} Export CSV or JSONL instead.`);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
