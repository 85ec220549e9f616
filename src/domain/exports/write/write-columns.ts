/** Writes the rows of an export as a Parquet file. */
import type { Writable } from 'node:stream';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { ParquetColumn } from '../../formats/parquet/parquet-column.js';
import { ParquetFile } from '../../formats/parquet/parquet-file.js';
import { quoted } from '../../kernel/value-problem.js';

/**
 * @param batches rows as Postgres writes them; null is no value
 * @returns which numbers were rounded; null: none
 */
export async function writeColumns(
  sink: Writable,
  columns: readonly ParquetColumn[],
  batches: AsyncIterable<readonly (readonly (string | null)[])[]>,
  signal: AbortSignal,
): Promise<readonly ErrorSummaryLine[] | null> {
  const abort = () => sink.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const file = new ParquetFile(sink, columns);
    for await (const rows of batches) {
      signal.throwIfAborted();
      await file.write(rows);
    }
    await file.end();
    const rounded = file.rounded().map(({ title, count, first }) => ({
      code: 'NUMBER_ROUNDED',
      path: title,
      count,
      rows: '',
      example: `${quoted(title)} has ${quoted(first)}, and numbers of Parquet are doubles, which hold fifteen digits: export CSV or JSONL for all of them`,
    }));
    return rounded.length === 0 ? null : rounded;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
