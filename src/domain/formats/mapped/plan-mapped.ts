/** Plans an upload whose rows are mapped: one streaming pass writes a normalised copy of them and cuts it into chunks. */
import { EventLoopPacer } from '../../../platform/event-loop-pacer.js';
import { keyedRecords } from '../csv/keyed-records.js';
import { FILE_FORMATS } from '../file-format.js';
import { RejectedInput } from '../model/rejected-input.js';
import type { SourceInput } from '../model/source-input.js';
import type { SourcePlan } from '../model/source-plan.js';
import { WORKBOOK_DELIMITER } from '../model/workbook-column.js';
import { DuplicateKeys } from '../plan/duplicate-keys.js';
import { SpoolWriter } from '../plan/spool-writer.js';
import { openTable } from '../table/open-table.js';
import type { TableBatches, TableInput, TableRow } from '../table/table.js';
import { readRecords } from '../text/read-records.js';
import { StreamParts } from '../text/stream-parts.js';
import { ReadMeter, streamBlocks } from '../text/upload-blocks.js';
import { shownText } from '../xlsx/rows/marked-cell.js';
import { type MappedCopy, type MappedRows, mapText } from './map-text.js';
import { MappedLines } from './mapped-lines.js';
import type { RowMapper, TableMapping } from './table-mapping.js';

/** What a mapping needs of its caller. */
export type MappedInput = Omit<SourceInput, 'resolveHeader' | 'workbookColumns' | 'keyOf' | 'keyField'>;

/**
 * As planSource. The copy is like that of a workbook, and has a line for each row of the source.
 * @throws RejectedInput when the input cannot be used as a whole; the signal's reason when it is aborted.
 */
export async function planMapped(input: MappedInput, mapping: TableMapping): Promise<SourcePlan> {
  const keys = new DuplicateKeys((key) => input.normaliseKey(key));
  try {
    const { mapper, sourceForm, lines } = await writeCopy(input, mapping, keys);
    const { chunks, totalRows } = lines.cutter;
    if (totalRows === 0) {
      const left = mapper.leftOut().map(({ column, condition, count }) => `${count} whose "${column}" ${condition}`);
      const which = left.length === 0 ? '' : ` (${left.join(', ')})`;
      const message = `The file has no rows, apart from those that its profile leaves out${which}. Add at least one, or correct the profile.`;
      throw new RejectedInput('NO_ROWS', message);
    }
    if (keys.hasCandidates) await findDuplicates(input, mapper, keys, chunks);
    const headerCells = [...mapper.headerCells];
    const form = { bodyFormat: 'CSV', delimiter: WORKBOOK_DELIMITER, headerCells, sourceForm } as const;
    return { source: 'spool', ...form, totalRows, chunks };
  } catch (error) {
    input.signal.throwIfAborted();
    throw error;
  }
}

async function writeCopy(
  input: MappedInput,
  mapping: TableMapping,
  keys: DuplicateKeys,
): Promise<MappedRows & { readonly lines: MappedLines }> {
  const lines = new MappedLines(input.limits);
  const spool = new SpoolWriter(await input.createSpool());
  const { reads, rows } = FILE_FORMATS[input.format];
  try {
    const isText = reads === 'text' && rows === 'table';
    // What is made of several rows is made of their cells.
    const map = isText && mapping.joinsRows !== true ? mapText : mapTable;
    const mapped = await map(input, mapping, { lines, spool, keys });
    lines.finish();
    await spool.write(lines.take());
    await spool.finish();
    return { ...mapped, lines };
  } catch (error) {
    spool.abandon();
    throw error;
  }
}

/** The second pass reads the lines of the copy. */
async function findDuplicates(
  input: MappedInput,
  { headerCells, keyColumn }: RowMapper,
  keys: DuplicateKeys,
  chunks: SourcePlan['chunks'],
): Promise<void> {
  const body = { delimiter: WORKBOOK_DELIMITER, keyColumn, encoding: 'utf-8', limits: input.limits } as const;
  const blocks = streamBlocks(await input.openSpool(), new ReadMeter(input), input.signal);
  const parts = new StreamParts(blocks);
  const pacer = new EventLoopPacer(input.signal);
  try {
    for (const { byteStart, byteEnd, firstRow } of chunks) {
      const reader = keyedRecords(body, headerCells.length, keys, input.winner, firstRow);
      await readRecords(parts.between(byteStart, byteEnd), reader, byteStart, pacer);
    }
  } finally {
    await blocks.return(undefined);
  }
  keys.assignTo(chunks);
}

function shownTexts({ cells, types }: TableRow): readonly string[] {
  return types?.includes('!') ? cells.map(shownText) : cells;
}

const BLOCK_BYTES = 256 * 1024;

async function* joined(batches: TableBatches, joins: RowMapper['joins']): AsyncGenerator<readonly TableRow[]> {
  for await (const rows of batches) yield joins?.join(rows) ?? rows;
  if (joins !== undefined) yield joins.rest();
}

/** Maps the rows of a table that is no text, or of which several become one. @throws RejectedInput */
async function mapTable(
  input: TableInput,
  mapping: TableMapping,
  { lines, spool, keys }: MappedCopy,
): Promise<MappedRows> {
  const { batches, ...table } = await openTable(input, mapping.options);
  try {
    const mapper = mapping.open(table);
    const hasKeys = mapper.keyColumn >= 0;
    for await (const rows of joined(batches, mapper.joins)) {
      for (const row of rows) {
        const line = mapper.lineOf(row);
        if (line === null) continue;
        lines.add(row.row, line);
        lines.addSourceText(row.row, JSON.stringify(mapper.textsOf(shownTexts(row))));
        if (hasKeys) keys.note(mapper.key);
      }
      if (lines.pending >= BLOCK_BYTES) await spool.write(lines.take());
    }
    return { mapper, sourceForm: { delimiter: null, quote: '' } };
  } finally {
    await batches.return(undefined);
  }
}
