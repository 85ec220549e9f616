/** Opens a source of any format as a table. */
import { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { FILE_FORMATS } from '../file-format.js';
import { columnNames } from './column-names.js';
import { writtenNames } from './header-groups.js';
import { readNestedTable } from './nested/nested-table.js';
import type { OnTableHead, OpenTable, TableBatches, TableHead, TableInput, TableOptions } from './table.js';
import { readTextTable } from './text-table.js';
import { readWorkbookTable } from './workbook-table.js';

/**
 * Reads a source up to its header. Its rows are read as `batches` is asked for them, at bounded memory; it yields to the
 * event loop every few milliseconds. Rows that are blank, or have empty cells alone, are left out, but have numbers.
 *
 * A source without rows is not refused here.
 * @throws RejectedInput when the source cannot be used as a whole, here or from `batches`; the signal's reason when it is
 *   aborted
 */
export async function openTable(input: TableInput, options: TableOptions): Promise<OpenTable> {
  const heads: TableHead[] = [];
  const batches = readTable(input, options, (head) => heads.push(head));
  await batches.next();
  const [head] = heads;
  if (head === undefined) throw new Error('a table was opened without its header');
  return { ...head, names: columnNames(writtenNames(head)), batches };
}

async function* readTable(input: TableInput, options: TableOptions, onHead: OnTableHead): TableBatches {
  const { delimiter, encoding, sheet } = input.options;
  const merged: TableInput = {
    ...input,
    options: {
      delimiter: options.delimiter ?? delimiter,
      encoding: options.encoding ?? encoding,
      sheet: options.sheet ?? sheet,
    },
  };
  const pacer = new EventLoopPacer(input.signal);
  const { reads, rows } = FILE_FORMATS[input.format];
  try {
    const read = rows !== 'table' ? readNestedTable : reads === 'workbook' ? readWorkbookTable : readTextTable;
    yield* read(merged, options, pacer, onHead);
  } catch (error) {
    input.signal.throwIfAborted();
    throw error;
  }
}
