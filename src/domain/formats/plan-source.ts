/** Finds the rows of an upload: a streaming pass checks it as a whole and cuts it into chunks. */

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { LF, SPACE, VERTICAL_TAB } from '../kernel/characters.js';
import { RejectedInput } from '../kernel/rejected-input.js';
import { CsvPlanReader, rowTooLong } from './csv/plan-csv.js';
import { FILE_FORMATS } from './file-format.js';
import { parseForKey } from './json/json-rows.js';
import { JsonTokenizer, MARK } from './json/json-tokenizer.js';
import { JsonlPlanReader, jsonDuplicatesReader } from './json/plan-jsonl.js';
import { JsonArrayScanner } from './json/split-json-array.js';
import { ChunkCutter } from './plan/chunk-cutter.js';
import { DuplicateKeys } from './plan/duplicate-keys.js';
import { HEAD_BYTES, refuseBinary, refuseOtherText } from './plan/refuse-wrong-format.js';
import type { ChunkPlan, SourceInput, SourcePlan } from './source-contract.js';
import { type RecordReader, readRecords } from './text/read-records.js';
import type { RecordWindow } from './text/record-window.js';
import { detectEncoding, invalidEncoding, type TextEncoding, toUtf8 } from './text/text-encoding.js';
import { peek, ReadMeter, skipBytes, streamBlocks, uploadBlocks } from './text/upload-blocks.js';
import { workbookBlocks } from './xlsx/rows/workbook-blocks.js';
import { WORKBOOK_DELIMITER } from './xlsx/rows/workbook-column.js';

// The first pass over a JSON array: writes its elements to the spool, one on each line, and plans those lines.

/** Replaces a line feed inside a JSON text and is just as invalid there, so that the element still fails. */
const LINE_END = Buffer.from('\n');

class JsonArrayPlanReader implements RecordReader {
  readonly cutter: ChunkCutter;
  readonly #scanner: JsonArrayScanner;
  #scannedTo = 0;
  #row = 0;
  #spoolBytes = 0;

  readonly #input: SourceInput;
  readonly #encoding: TextEncoding;
  readonly #keys: DuplicateKeys;
  readonly #spool: SpoolWriter;

  constructor(input: SourceInput, encoding: TextEncoding, keys: DuplicateKeys, spool: SpoolWriter) {
    this.#input = input;
    this.#encoding = encoding;
    this.#keys = keys;
    this.#spool = spool;
    const { maxRows, maxDepth } = input.limits;
    this.cutter = new ChunkCutter(input.limits);
    this.#scanner = new JsonArrayScanner({ maxElements: maxRows, maxDepth });
  }

  async read(window: RecordWindow, final: boolean): Promise<void> {
    const scanner = this.#scanner;
    scanner.scan(window.bytes, this.#scannedTo - window.base, window.end, window.base);
    this.#scannedTo = window.base + window.end;
    const lines = this.#takeElements(window);
    window.start = scanner.openStart < 0 ? window.end : scanner.openStart - window.base;
    if (window.pending > this.#input.limits.maxRowBytes) throw rowTooLong(this.#row + 1, this.#input.limits);
    if (lines.length > 0) await this.#spool.write(Buffer.concat(lines));
    if (!final) return;
    scanner.finish(this.#scannedTo);
    this.cutter.finish();
  }

  #takeElements(window: RecordWindow): Buffer[] {
    const { starts, ends } = this.#scanner;
    const lines: Buffer[] = [];
    for (const [index, end] of ends.entries()) {
      const from = (starts[index] as number) - window.base;
      const to = end - window.base;
      this.#row += 1;
      if (to - from > this.#input.limits.maxRowBytes) throw rowTooLong(this.#row, this.#input.limits);
      if (!window.isValid(from, to)) throw invalidEncoding(this.#row, this.#encoding);
      const line = onOneLine(window.bytes.subarray(from, to));
      lines.push(line, LINE_END);
      const next = this.#spoolBytes + line.length + 1;
      this.cutter.addLine(this.#spoolBytes, next, this.#row, true);
      this.#spoolBytes = next;
      this.#noteKey(line);
    }
    starts.splice(0, ends.length);
    ends.length = 0;
    return lines;
  }

  #noteKey(line: Buffer): void {
    let element: unknown;
    try {
      element = parseForKey(line.toString('utf8'), this.#input.keyField);
    } catch {
      // The element fails alone when its chunk is parsed.
      return;
    }
    const key = this.#input.keyOf(element);
    if (key !== null) this.#keys.note(key);
  }
}

/** The element without line feeds: they become spaces, and vertical tabs inside texts. */
function onOneLine(element: Buffer): Buffer {
  if (!element.includes(LF)) return element;
  const line = Buffer.from(element);
  const tokens = new JsonTokenizer(element);
  tokens.enter(0, element.length);
  let outside = 0;
  for (let mark = tokens.mark(); mark !== MARK.end; mark = tokens.mark()) {
    if (mark === MARK.open || mark === MARK.close) continue;
    replaceLineFeeds(line, outside, tokens.start, SPACE);
    replaceLineFeeds(line, tokens.start, tokens.at, VERTICAL_TAB);
    outside = tokens.at;
  }
  replaceLineFeeds(line, outside, line.length, SPACE);
  return line;
}

function replaceLineFeeds(line: Buffer, from: number, to: number, byte: number): void {
  for (let at = line.indexOf(LF, from); at >= 0 && at < to; at = line.indexOf(LF, at + 1)) line[at] = byte;
}

/** What both passes need. */
interface Planning {
  readonly input: SourceInput;
  readonly keys: DuplicateKeys;
  readonly meter: ReadMeter;
  readonly pacer: EventLoopPacer;
}

/** The upload as UTF-8 without a byte order mark. */
interface OpenText {
  readonly blocks: AsyncGenerator<Buffer>;
  readonly encoding: TextEncoding;
  /** Offset of the text in the upload: the length of the byte order mark. */
  readonly base: number;
}

/** What the first pass found, and how the second reads the same body. */
interface FirstPass {
  readonly plan: SourcePlan;
  duplicatesReader(firstRow: number): RecordReader;
}

/**
 * Plans an upload at bounded memory, whatever it holds: about 16 bytes for each key, and a window that holds one row.
 * It yields to the event loop every few milliseconds.
 *
 * Bytes that are valid UTF-8 but that the database refuses (NUL, lone surrogates in JSON escapes) are row problems,
 * found when a chunk is validated.
 * @throws RejectedInput when the input cannot be used as a whole; the signal's reason when it is aborted.
 */
export async function planSource(input: SourceInput): Promise<SourcePlan> {
  const planning: Planning = {
    input,
    keys: new DuplicateKeys((key) => input.normaliseKey(key)),
    meter: new ReadMeter(input),
    pacer: new EventLoopPacer(input.signal),
  };
  try {
    const { plan, duplicatesReader } = await firstPass(planning);
    if (plan.totalRows === 0) {
      throw new RejectedInput('NO_ROWS', 'The file has no rows. Add at least one, and upload it again.');
    }
    if (planning.keys.hasCandidates) await findDuplicates(planning, plan, duplicatesReader);
    return plan;
  } catch (error) {
    input.signal.throwIfAborted();
    throw error;
  }
}

async function firstPass(planning: Planning): Promise<FirstPass> {
  const { input } = planning;
  const { reads, rows } = FILE_FORMATS[input.format];
  const text = reads === 'workbook' ? openWorkbook(planning) : await openText(planning);
  try {
    const mustCopy = input.gzip || rows === 'array' || reads === 'workbook' || text.encoding !== 'utf-8';
    if (!mustCopy) return await readBody(planning, text, text.blocks, 'upload');
    const spool = new SpoolWriter(await input.createSpool());
    try {
      const found =
        rows === 'array'
          ? await readJsonArray(planning, text, spool)
          : await readBody(planning, { ...text, base: 0 }, spool.copy(text.blocks), 'spool');
      await spool.finish();
      return found;
    } catch (error) {
      spool.abandon();
      throw error;
    }
  } finally {
    await text.blocks.return(undefined);
  }
}

async function openText(planning: Planning): Promise<OpenText> {
  const { input, meter } = planning;
  const { head, rest } = await peek(uploadBlocks(input, meter), HEAD_BYTES);
  try {
    refuseBinary(head, input.format);
    const { encoding, markBytes } = detectEncoding(head, input.options.encoding);
    if (head.length === markBytes) throw new RejectedInput('EMPTY_FILE', 'The file is empty.');
    const utf8 = await peek(toUtf8(skipBytes(rest, markBytes), encoding), HEAD_BYTES);
    refuseOtherText(utf8.head, input.format);
    return { blocks: utf8.rest, encoding, base: markBytes };
  } catch (error) {
    await rest.return(undefined);
    throw error;
  }
}

/** The rows of a workbook are read as CSV. */
function openWorkbook({ input, meter, pacer }: Planning): OpenText {
  return { blocks: workbookBlocks(input, meter, pacer), encoding: 'utf-8', base: 0 };
}

/** Runs the first pass over a CSV, TSV or JSONL text. */
async function readBody(
  planning: Planning,
  text: OpenText,
  blocks: AsyncIterable<Buffer>,
  source: 'upload' | 'spool',
): Promise<FirstPass> {
  const { input, keys, pacer } = planning;
  const { reads, rows } = FILE_FORMATS[input.format];
  if (rows === 'lines') {
    const reader = new JsonlPlanReader(input, text.encoding, keys);
    await readRecords(blocks, reader, text.base, pacer);
    return jsonPass(planning, source, reader.cutter);
  }
  const options = reads === 'workbook' ? { delimiter: WORKBOOK_DELIMITER } : input.options;
  const reader = new CsvPlanReader({ ...input, options }, text.encoding, keys);
  await readRecords(blocks, reader, text.base, pacer);
  const { chunks, totalRows } = reader.cutter;
  const { header } = reader;
  if (header === null) throw new Error('a CSV text was read without a header');
  const { delimiter, cells } = header;
  return {
    plan: { source, bodyFormat: 'CSV', delimiter, headerCells: cells, totalRows, chunks },
    duplicatesReader: (firstRow) => reader.duplicatesReader(firstRow),
  };
}

async function readJsonArray(planning: Planning, text: OpenText, spool: SpoolWriter): Promise<FirstPass> {
  const { input, keys, pacer } = planning;
  const reader = new JsonArrayPlanReader(input, text.encoding, keys, spool);
  await readRecords(text.blocks, reader, 0, pacer);
  return jsonPass(planning, 'spool', reader.cutter);
}

function jsonPass(
  { input, keys }: Planning,
  source: 'upload' | 'spool',
  { chunks, totalRows }: { chunks: ChunkPlan[]; totalRows: number },
): FirstPass {
  return {
    plan: { source, bodyFormat: 'JSONL', delimiter: null, headerCells: null, totalRows, chunks },
    duplicatesReader: (firstRow) => jsonDuplicatesReader(input, keys, firstRow),
  };
}

/** The second pass reads the body's own bytes from the first chunk on. */
async function findDuplicates(
  { input, keys, meter, pacer }: Planning,
  plan: SourcePlan,
  duplicatesReader: FirstPass['duplicatesReader'],
): Promise<void> {
  const [first] = plan.chunks;
  if (first === undefined) return;
  const stream = plan.source === 'upload' ? await input.openUpload() : await input.openSpool();
  const blocks = skipBytes(streamBlocks(stream, meter, input.signal), first.byteStart);
  await readRecords(blocks, duplicatesReader(first.firstRow), first.byteStart, pacer);
  keys.assignTo(plan.chunks);
}

// Writes the normalised copy of an upload with back-pressure.

class SpoolWriter {
  readonly #done: Promise<void>;

  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
    this.#done = finished(stream);
    // The next write, or finish, reports a failure.
    this.#done.catch(() => undefined);
  }

  async write(block: Buffer): Promise<void> {
    if (!this.#stream.write(block)) await Promise.race([once(this.#stream, 'drain'), this.#done]);
  }

  /** Ends the copy; resolves when all of it is written. */
  async finish(): Promise<void> {
    this.#stream.end();
    await this.#done;
  }

  /** Abandons the copy, which stays incomplete. */
  abandon(): void {
    this.#stream.destroy();
  }

  /** Yields the blocks, each after it was written. */
  async *copy(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const block of blocks) {
      await this.write(block);
      yield block;
    }
  }
}
