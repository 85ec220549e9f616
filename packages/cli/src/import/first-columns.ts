/** The names of a file's columns, by a look at its beginning: whether they are those of our own files is known at once. */
import { constants, gunzipSync } from 'node:zlib';
import type { FileSource } from '@longshore/client';

const LOOKED_AT_BYTES = 65_536;
/** Those that a header may have between its cells, if none was named. */
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * The columns of a table or the members of its first object of JSON; none for files that are never in our form, as XML.
 * @param name its ending is the format
 * @returns undefined when a look at the beginning does not tell, as with workbooks
 */
export async function firstColumns(
  { open }: FileSource,
  name: string,
  { delimiter, encoding }: { readonly delimiter?: string | undefined; readonly encoding?: string | undefined },
): Promise<readonly string[] | undefined> {
  const [, ending = '', gzip] = /\.([a-z]+)(\.gz)?$/i.exec(name) ?? [];
  const bytes = await beginningOf(open());
  const plain = gzip === undefined ? bytes : unpacked(bytes);
  if (plain === undefined) return undefined;
  const text = textOf(plain, encoding);
  switch (ending.toLowerCase()) {
    case 'csv':
      return headerOf(text, delimiter);
    case 'tsv':
      return headerOf(text, delimiter ?? '\t');
    case 'json':
      // What is no array of rows has none of our columns, unless it is an error file.
      return text.trimStart().startsWith('{') ? (text.includes('"_job":') ? ['_job'] : []) : membersOf(text);
    case 'jsonl':
    case 'ndjson':
      return membersOf(text);
    case 'xml':
      // None of our own files is XML.
      return [];
    default:
      return undefined;
  }
}

async function beginningOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= LOOKED_AT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, LOOKED_AT_BYTES);
}

/** The beginning of compressed bytes that were cut off. */
function unpacked(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

/** The names that we look for are ASCII but for those of attributes, so a wrong guess of the encoding does little harm. */
function textOf(bytes: Uint8Array, encoding: string | undefined): string {
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  try {
    return new TextDecoder(marked ?? encoding ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder('utf-8').decode(bytes);
  }
}

/** The cells of the first line that is not blank; a line `sep=;` names the delimiter. */
function headerOf(text: string, given: string | undefined): string[] {
  const [, named] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const line = text.slice(named === undefined ? 0 : text.indexOf('\n') + 1).trimStart();
  const delimiter = given ?? named;
  const readings = (delimiter === undefined ? DELIMITERS : [delimiter]).map((one) => cellsOf(line, one));
  return readings.reduce((longest, cells) => (cells.length > longest.length ? cells : longest));
}

/** The cells of the first row. */
function cellsOf(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (character === '"' && cell === '') isQuoted = true;
    else if (character === delimiter) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n' || character === '\r') break;
    else cell += character;
  }
  return [...cells, cell];
}

/** The names of the members of the first object. */
function membersOf(text: string): string[] | undefined {
  const begin = text.search(/[{]/);
  if (begin === -1 || !/^\s*\[?\s*$/.test(text.slice(0, begin))) return undefined;
  for (let end = text.indexOf('}', begin); end !== -1; end = text.indexOf('}', end + 1)) {
    try {
      return Object.keys(JSON.parse(text.slice(begin, end + 1)) as object);
    } catch {
      // A brace within the object.
    }
  }
  return undefined;
}
