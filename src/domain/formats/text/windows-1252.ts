/**
 * Windows-1252 in both directions. Its table stands here because Node 20's TextDecoder reads the bytes 0x80 to 0x9f as
 * latin1 (0x80 becomes U+0080), and other libraries refuse the five of them that the encoding leaves undefined: here they
 * stay control characters, as in browsers.
 */
import { isAscii } from 'node:buffer';

const HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const BYTES: ReadonlyMap<string, string> = new Map(
  [...HIGH].map((character, index) => [character, String.fromCharCode(0x80 + index)]),
);

/** What each byte from 0x80 on is in UTF-8: its bytes as a number, the last of them lowest, and how many they are. */
const CODES = new Uint32Array(128);
const LENGTHS = new Uint8Array(128);
for (let byte = 0x80; byte < 0x100; byte++) {
  const utf8 = Buffer.from(byte < 0xa0 ? HIGH.charAt(byte - 0x80) : String.fromCharCode(byte));
  CODES[byte - 0x80] = utf8.readUIntBE(0, utf8.length);
  LENGTHS[byte - 0x80] = utf8.length;
}
const MOST_BYTES = 3;

/** Converts blocks to UTF-8. It goes by bytes: strings of such texts take two bytes for each character. */
export function windows1252Decoder(): (bytes: Buffer) => Buffer {
  let scratch: Buffer = Buffer.alloc(0);
  return (bytes) => {
    if (isAscii(bytes)) return bytes;
    const most = bytes.length * MOST_BYTES;
    if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(most);
    return Buffer.from(scratch.subarray(0, decodeInto(bytes, scratch)));
  };
}

const WORD_BYTES = 4;
const NOT_ASCII = 0x80808080;

/**
 * Most bytes are ASCII, which is the same in both: four of them are looked at together, which takes less than half the time.
 * @returns how many bytes it has written
 */
function decodeInto(bytes: Buffer, utf8: Buffer): number {
  // Words begin at addresses that four divides.
  const first = (WORD_BYTES - (bytes.byteOffset % WORD_BYTES)) % WORD_BYTES;
  const end = bytes.length;
  const count = Math.max(0, Math.floor((end - first) / WORD_BYTES));
  const words = new Uint32Array(bytes.buffer, count === 0 ? 0 : bytes.byteOffset + first, count);
  let at = 0;
  let index = 0;
  while (index < end) {
    const place = index - first;
    if (place >= 0 && place % WORD_BYTES === 0) {
      let word = place / WORD_BYTES;
      while (word < count && ((words[word] as number) & NOT_ASCII) === 0) {
        utf8[at] = bytes[index] as number;
        utf8[at + 1] = bytes[index + 1] as number;
        utf8[at + 2] = bytes[index + 2] as number;
        utf8[at + 3] = bytes[index + 3] as number;
        at += WORD_BYTES;
        index += WORD_BYTES;
        word += 1;
      }
      if (index >= end) break;
    }
    const byte = bytes[index] as number;
    index += 1;
    if (byte < 0x80) {
      utf8[at++] = byte;
      continue;
    }
    const code = CODES[byte - 0x80] as number;
    if (LENGTHS[byte - 0x80] === MOST_BYTES) utf8[at++] = code >>> 16;
    utf8[at++] = (code >>> 8) & 0xff;
    utf8[at++] = code & 0xff;
  }
  return at;
}

/** The bytes of a text; characters that the encoding lacks become question marks. */
export function encodeWindows1252(text: string): Buffer {
  const written = text.replace(/[\x80-\x9f\u{100}-\u{10ffff}]/gu, (character) => BYTES.get(character) ?? '?');
  return Buffer.from(written, 'latin1');
}
