/** Converts texts of all encodings to UTF-8, and back. */
import iconv from 'iconv-lite';
import { encodingNamed, type TextEncoding } from './encoding-names.js';
import { wholeSequences } from './whole-sequences.js';
import { encodeWindows1252, windows1252Decoder } from './windows-1252.js';

/** Replaces bytes that are invalid in the encoding. No UTF-8 text holds it, so the invalid row is found later. */
const INVALID = Buffer.from([0xff]);
/** What decoders write for bytes that mean nothing, and half of a character beyond the first 65,536. */
const INVALID_CHARACTER = /\ufffd|\p{Surrogate}/u;

/** Converts blocks of an encoding to UTF-8, wherever the text is cut into blocks. */
export async function* toUtf8(blocks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') yield* blocks;
  else if (encoding === 'windows-1252') yield* fromWindows1252(blocks);
  else if (encoding === 'utf-16le' || encoding === 'utf-16be') yield* fromUtf16(blocks, encoding === 'utf-16be');
  else yield* fromTable(blocks, encoding);
}

const UNICODE: readonly TextEncoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'gb18030'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

const decode1252 = windows1252Decoder();

/** Whether an encoding has all characters of a text. */
export function isEncodable(text: string, encoding: TextEncoding): boolean {
  if (UNICODE.includes(encoding) || ASCII.test(text)) return true;
  const bytes = encodeText(text, encoding);
  if (encoding === 'windows-1252') return decode1252(bytes).toString() === text;
  return decodeTable(bytes, encoding) === text;
}

/** The bytes of a text, without a byte order mark; characters that the encoding lacks become question marks. */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'windows-1252':
      return encodeWindows1252(text);
    case 'macintosh':
      return iconv.encode(text.replaceAll('¤', '?').replaceAll('€', '¤'), encoding);
    case 'windows-1258':
      return iconv.encode(withTonesApart(text), encoding);
    default:
      return iconv.encode(text, encoding);
  }
}

/** The text of the first bytes of a file; a character that is cut at their end is left out. */
export function decodeHead(head: Uint8Array, encoding: string): string {
  // The decoder of the platform does not know all encodings of DOS.
  const named = encodingNamed(encoding);
  if (named === 'ibm850' || named === 'ibm852') return iconv.decode(Buffer.from(head), named);
  return new TextDecoder(encoding).decode(head, { stream: true });
}

/** The table of iconv-lite has the sign for money in general where Macs have written the euro since 1998. */
function decodeTable(bytes: Buffer, encoding: TextEncoding): string {
  const text = iconv.decode(bytes, encoding, { stripBOM: false });
  // Letters and tones are two characters there; everywhere else they are one.
  if (encoding === 'windows-1258') return text.normalize('NFC');
  return encoding === 'macintosh' ? text.replaceAll('¤', '€') : text;
}

const TONES = /[\u0300\u0301\u0303\u0309\u0323]/g;
/** Those with a tone that windows-1258 has as one character. */
const WITH_TONE = new Set('ÀÁÈÉÍÓÙÚàáèéíóùúÑñ');
const MAY_HAVE_TONE = /[\u00c0-\u01b0\u1ea0-\u1ef9]/g;

function withTonesApart(text: string): string {
  return text.replace(MAY_HAVE_TONE, (letter) => {
    const parts = letter.normalize('NFD');
    const tones = WITH_TONE.has(letter) ? null : parts.match(TONES);
    return tones === null ? letter : parts.replace(TONES, '').normalize('NFC') + tones.join('');
  });
}

async function* fromWindows1252(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decode = windows1252Decoder();
  for await (const block of blocks) yield decode(block);
}

/** Only whole characters are decoded: iconv-lite's own streams lose text after a character that is cut into blocks. */
async function* fromTable(blocks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<Buffer> {
  let carry: Buffer = Buffer.alloc(0);
  for await (const block of blocks) {
    const bytes = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const whole = wholeSequences(bytes, encoding);
    carry = bytes.subarray(whole);
    if (whole > 0) yield validUtf8(decodeTable(bytes.subarray(0, whole), encoding));
  }
  if (carry.length > 0) yield validUtf8(decodeTable(carry, encoding));
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

/** U+FFFD itself is a character of UTF-16. */
function encodeUtf16(units: Buffer): Buffer {
  return withInvalid(units.toString('utf16le'), /\p{Surrogate}/u);
}

function validUtf8(text: string): Buffer {
  return withInvalid(text, INVALID_CHARACTER);
}

/** The text in UTF-8, with an invalid byte for the first character that cannot be one. */
function withInvalid(text: string, invalid: RegExp): Buffer {
  const at = text.search(invalid);
  if (at < 0) return Buffer.from(text);
  return Buffer.concat([Buffer.from(text.slice(0, at)), INVALID, Buffer.from(text.slice(at + 1))]);
}
