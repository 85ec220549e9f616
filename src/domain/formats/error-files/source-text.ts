/** Reads a CSV text again, record by record as it is written, in step with the rows that are asked for. */
import { LF } from '../../kernel/characters.js';
import type { CsvQuote } from '../csv/csv-quote.js';
import { CsvRecordReader } from '../csv/csv-record-reader.js';
import { withoutEscapes } from '../csv/escaped-quotes.js';
import type { FormatReading } from '../model/source-format.js';
import { openText } from '../plan/open-text.js';
import type { OpenTable, TableInput, TableOptions } from '../table/table.js';
import { RecordWindow } from '../text/record-window.js';
import { ReadMeter } from '../text/upload-blocks.js';

/** What is known of a source after its header was read. */
export type SourceHead = Pick<OpenTable, 'header' | 'groups' | 'names' | 'format' | 'titleLines'>;

/** One record of the source. */
interface SourceRecord {
  readonly row: number;
  /** As it is written, without its line end. */
  readonly text: string;
  readonly isBlank: boolean;
}

export interface SourceText {
  /** How the lines of the source end. */
  readonly lineEnd: string;
  /** The record with this number; undefined behind the last one. Records must be asked for in ascending order. */
  recordOf(row: number): Promise<SourceRecord | undefined>;
  /** The next record that is not blank, behind the one that was asked for last; undefined at the end. */
  nextRecord(): Promise<SourceRecord | undefined>;
  /** The last records that are not blank, of those that were not asked for. Reads to the end. */
  lastRecords(count: number): Promise<readonly SourceRecord[]>;
  close(): Promise<void>;
}

/** Opens the text from its first row on. @param head what is known of it */
export async function openSourceText(
  input: TableInput,
  reading: FormatReading,
  options: TableOptions,
  { format }: Pick<SourceHead, 'format'>,
): Promise<SourceText> {
  const { delimiter } = format;
  const quote: CsvQuote = options.quote ?? '"';
  const own = { ...input, options: { encoding: options.encoding } };
  const text = await openText(own, reading, new ReadMeter(input));
  // Its records are those of the text without escapes.
  const blocks = withoutEscapes(text.blocks, { escape: options.escape, quote, delimiter: delimiter ?? undefined });
  const window = new RecordWindow(text.base);
  let last = 0;
  let wanted = 0;
  let found: SourceRecord | undefined;
  let lineEnd = '\r\n';
  const body = { delimiter: delimiter ?? ',', quote, keyColumn: -1, encoding: text.encoding, limits: input.limits };
  const reader = new CsvRecordReader(body, 1, ({ bytes }, scanner, start, row) => {
    last = row;
    if (row < wanted) return true;
    if (row === 1) lineEnd = lineEndOf(bytes, scanner.stop, scanner.next) ?? lineEnd;
    found = { row, text: bytes.toString('utf8', start, scanner.stop), isBlank: scanner.isBlank(start) };
    return false;
  });
  let isEnd = false;
  const readTo = async (row: number): Promise<SourceRecord | undefined> => {
    wanted = row;
    found = undefined;
    for (;;) {
      if (isEnd || window.worthReading) {
        reader.read(window, isEnd);
        if (found !== undefined) return found;
        if (isEnd) return undefined;
        window.markRead();
      }
      const { value, done } = await blocks.next();
      isEnd = done === true;
      if (value === undefined) window.close();
      else window.append(value);
    }
  };
  return {
    get lineEnd() {
      return lineEnd;
    },
    recordOf: async (row) => {
      if (row <= last) return undefined;
      const record = await readTo(row);
      return record?.row === row ? record : undefined;
    },
    nextRecord: async () => {
      for (;;) {
        const record = await readTo(last + 1);
        if (record?.isBlank !== true) return record;
      }
    },
    lastRecords: async (count) => {
      const records: SourceRecord[] = [];
      for (let record = await readTo(last + 1); record !== undefined; record = await readTo(last + 1)) {
        if (record.isBlank) continue;
        records.push(record);
        if (records.length > count) records.shift();
      }
      return records;
    },
    close: async () => {
      await blocks.return(undefined);
      await text.blocks.return(undefined);
    },
  };
}

function lineEndOf(bytes: Buffer, stop: number, next: number): string | undefined {
  if (next === stop) return undefined;
  return bytes[stop] === LF ? '\n' : next - stop === 2 ? '\r\n' : '\r';
}
