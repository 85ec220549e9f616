/** Opens nested sources: their rows at a path, and what they consist of. */
import { isUtf8 } from 'node:buffer';
import type { EventLoopPacer } from '../../../../platform/event-loop-pacer.js';
import { wholeCharacters } from '../../../../platform/whole-characters.js';
import { FILE_FORMATS } from '../../file-format.js';
import { type OpenText, openText } from '../../plan/open-text.js';
import { invalidEncoding } from '../../text/detect-encoding.js';
import { type RecordReader, readRecords } from '../../text/read-records.js';
import { RecordWindow } from '../../text/record-window.js';
import type { ReadMeter } from '../../text/upload-blocks.js';
import type { TableInput } from '../table.js';
import { JsonReader } from './json-reader.js';
import { JsonLines, JsonRowsHandler } from './json-source.js';
import type { NestedRow, RowBatches } from './nested-value.js';
import { addParsed, JsonStructure, Structure, type StructureNode, XmlStructure } from './structure.js';
import { XmlReader } from './xml-reader.js';
import { XmlRows } from './xml-source.js';

/** What reading a source needs. */
export interface NestedInput {
  readonly input: TableInput;
  readonly meter: ReadMeter;
  readonly pacer: EventLoopPacer;
  /** Whether rows of JSON keep the text that they were read from. */
  readonly withText?: boolean | undefined;
  /** Is given the encoding once it is known. */
  onEncoding?(encoding: string): void;
}

/** The rows at a path, given by its steps. @throws RejectedInput */
export async function* nestedRows(source: NestedInput, steps: readonly string[]): RowBatches {
  const text = await open(source);
  try {
    if (FILE_FORMATS[source.input.format].rows === 'elements') yield* xmlRows(source, text, steps);
    else yield* jsonRows(source, text, steps);
  } finally {
    await text.blocks.return(undefined);
  }
}

/** What a source consists of. @throws RejectedInput */
export async function structureOf(source: NestedInput): Promise<StructureNode> {
  const { input, pacer } = source;
  const { rows } = FILE_FORMATS[input.format];
  if (rows === 'lines') return structureOfLines(source);
  const text = await open(source);
  try {
    if (rows === 'elements') {
      const handler = new XmlStructure();
      const reader = new XmlReader(handler, input.limits);
      for await (const piece of xmlTexts(text)) {
        reader.write(piece);
        await pacer.pause();
      }
      reader.finish();
      return handler.structure.root;
    }
    const handler = new JsonStructure();
    const reader = new JsonReader(handler, input.limits, text.encoding);
    await readRecords(text.blocks, reader, text.base, pacer);
    return handler.structure.root;
  } finally {
    await text.blocks.return(undefined);
  }
}

async function structureOfLines(source: NestedInput): Promise<StructureNode> {
  const structure = new Structure();
  structure.root.isList = true;
  for await (const rows of nestedRows(source, [])) {
    for (const { value, problem } of rows) if (problem === null) addParsed(structure, structure.root, value);
    await source.pacer.pause();
  }
  return structure.root;
}

async function open({ input, meter, onEncoding }: NestedInput): Promise<OpenText> {
  const text = await openText(input, FILE_FORMATS[input.format], meter);
  onEncoding?.(text.encoding);
  return text;
}

async function* jsonRows(source: NestedInput, text: OpenText, steps: readonly string[]): RowBatches {
  const { pacer } = source;
  const reader = jsonReader(source, text, steps);
  const window = new RecordWindow(text.base);
  for await (const block of text.blocks) {
    window.append(block);
    if (window.worthReading) {
      reader.read(window, false);
      window.markRead();
    }
    await pacer.pause();
    const rows = reader.take();
    if (rows.length > 0) yield rows;
  }
  window.close();
  reader.read(window, true);
  yield reader.take();
}

function jsonReader(
  { input: { format, limits }, withText = false }: NestedInput,
  { encoding }: OpenText,
  steps: readonly string[],
): RecordReader & { take(): readonly NestedRow[] } {
  if (FILE_FORMATS[format].rows === 'lines') return new JsonLines(steps, limits, encoding, withText);
  const handler = new JsonRowsHandler(steps, withText);
  const reader = new JsonReader(handler, limits, encoding);
  return { read: (window, final) => reader.read(window, final), take: () => handler.take() };
}

async function* xmlRows({ input, pacer }: NestedInput, text: OpenText, steps: readonly string[]): RowBatches {
  const reader = new XmlRows(steps, input.limits);
  for await (const piece of xmlTexts(text, () => reader.rows)) {
    reader.write(piece);
    await pacer.pause();
    const rows = reader.take();
    if (rows.length > 0) yield rows;
  }
  reader.finish();
  yield reader.take();
}

/** The text in pieces that end with whole characters, and whose line ends are LF, as XML demands. */
async function* xmlTexts({ blocks, encoding }: OpenText, rows: () => number = () => 0): AsyncGenerator<string> {
  let carry: Buffer = Buffer.alloc(0);
  let endsWithCr = false;
  for await (const block of blocks) {
    const bytes: Buffer = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const whole = wholeCharacters(bytes);
    carry = bytes.subarray(whole);
    let text = decoded(bytes.subarray(0, whole), encoding, rows);
    if (endsWithCr && text.startsWith('\n')) text = text.slice(1);
    endsWithCr = text === '' ? endsWithCr : text.endsWith('\r');
    if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
    if (text !== '') yield text;
  }
  if (carry.length > 0) yield decoded(carry, encoding, rows);
}

function decoded(bytes: Buffer, encoding: OpenText['encoding'], rows: () => number): string {
  if (!isUtf8(bytes)) throw invalidEncoding(rows() + 1, encoding);
  return bytes.toString('utf8');
}
