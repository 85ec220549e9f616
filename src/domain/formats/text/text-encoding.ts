/** Detects the encoding of an upload and converts it to UTF-8. */
import { RejectedInput } from '../model/rejected-input.js';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * The names that an upload may give, in lower case. As in browsers, `latin1` is read as windows-1252, which contains
 * it.
 */
const ENCODING_NAMES: ReadonlyMap<string, TextEncoding> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['utf-16', 'utf-16le'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
]);

/**
 * The characters of bytes 0x80 to 0x9f in windows-1252; the five undefined bytes stay control characters. The table is
 * needed because Node 20's TextDecoder reads these bytes as latin1: 0x80 becomes U+0080.
 */
const WINDOWS_1252_HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Replaces bytes that are invalid in the encoding. No UTF-8 text holds it, so the invalid row is found later. */
const INVALID = Buffer.from([0xff]);

/**
 * The encoding of a text and the length of its byte order mark, which overrides the given name.
 * @param head the text's first bytes, at least 3 where there are as many.
 * @throws RejectedInput UNKNOWN_ENCODING.
 */
export function detectEncoding(head: Buffer, named: string | undefined): { encoding: TextEncoding; markBytes: number } {
  const encoding = ENCODING_NAMES.get((named ?? 'utf-8').trim().toLowerCase());
  if (encoding === undefined) {
    const known = [...ENCODING_NAMES.keys()].join(', ');
    throw new RejectedInput('UNKNOWN_ENCODING', `The encoding "${named}" is not known. Name one of: ${known}.`);
  }
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', markBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', markBytes: 2 };
  return { encoding, markBytes: 0 };
}

/** The error for a row whose bytes are not valid in the encoding. */
export function invalidEncoding(row: number, encoding: TextEncoding): RejectedInput {
  const advice =
    encoding === 'utf-8'
      ? 'Save the file as UTF-8, or name its encoding in options.encoding, for example "windows-1252".'
      : 'Save the file as UTF-8 and upload it again.';
  return new RejectedInput('INVALID_ENCODING', `Row ${row} is not valid ${encoding.toUpperCase()}. ${advice}`, { row });
}

/** Converts blocks of an encoding to UTF-8, wherever the text is cut into blocks. */
export async function* toUtf8(blocks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') yield* blocks;
  else if (encoding === 'windows-1252') yield* fromWindows1252(blocks);
  else yield* fromUtf16(blocks, encoding === 'utf-16be');
}

async function* fromWindows1252(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    const text = block.toString('latin1');
    yield Buffer.from(text.replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252_HIGH.charAt(byte.charCodeAt(0) - 0x80)));
  }
}

async function* fromUtf16(blocks: AsyncIterable<Buffer>, bigEndian: boolean): AsyncGenerator<Buffer> {
  let carry: Buffer = Buffer.alloc(0);
  for await (const block of blocks) {
    const bytes = Buffer.concat([carry, block]);
    const whole = wholeUtf16(bytes, bigEndian);
    carry = bytes.subarray(whole);
    const units = bytes.subarray(0, whole);
    if (units.length > 0) yield encodeUtf16(bigEndian ? units.swap16() : units);
  }
  if (carry.length > 0) yield INVALID;
}

/** The length without an odd last byte and without half of a surrogate pair. */
function wholeUtf16(bytes: Buffer, bigEndian: boolean): number {
  const even = bytes.length & ~1;
  if (even < 2) return even;
  const last = bigEndian ? bytes.readUInt16BE(even - 2) : bytes.readUInt16LE(even - 2);
  return last >= 0xd800 && last < 0xdc00 ? even - 2 : even;
}

function encodeUtf16(units: Buffer): Buffer {
  const text = units.toString('utf16le');
  const lone = text.search(/\p{Surrogate}/u);
  if (lone < 0) return Buffer.from(text);
  return Buffer.concat([Buffer.from(text.slice(0, lone)), INVALID, Buffer.from(text.slice(lone + 1))]);
}
