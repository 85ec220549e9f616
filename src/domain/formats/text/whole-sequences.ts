/** Where a block of text can be cut: between the characters of encodings that write some of them with several bytes. */
import type { TextEncoding } from './encoding-names.js';

/** Bytes below are characters of their own in all encodings, and part of no other. */
const FIRST_PART = 0x30;

/** The length of the bytes without an incomplete character at their end. The bytes begin with a whole one. */
export function wholeSequences(bytes: Buffer, encoding: TextEncoding): number {
  if (encoding === 'windows-1258') return beforeLastLetter(bytes);
  const lengthOf = SEQUENCES[encoding];
  if (lengthOf === undefined) return bytes.length;
  let at = bytes.length;
  while (at > 0 && (bytes[at - 1] as number) >= FIRST_PART) at -= 1;
  for (;;) {
    const length = lengthOf(bytes, at);
    if (at >= bytes.length || at + length > bytes.length) return at;
    at += length;
  }
}

/** The tones of Vietnamese, which stand behind the letter that they belong to. */
const TONES = new Set([0xcc, 0xd2, 0xde, 0xec, 0xf2]);

/** The last letter may get a tone by the bytes that follow. */
function beforeLastLetter(bytes: Buffer): number {
  let at = bytes.length - 1;
  if (at < 0 || (bytes[at] as number) < FIRST_PART) return bytes.length;
  while (at > 0 && TONES.has(bytes[at] as number)) at -= 1;
  return at;
}

/** How many bytes the character at a position has, as far as its first bytes say. */
const SEQUENCES: Readonly<Partial<Record<TextEncoding, (bytes: Buffer, at: number) => number>>> = {
  shift_jis: (bytes, at) => (isJapaneseLead(bytes[at] ?? 0) ? 2 : 1),
  'euc-jp': (bytes, at) => (bytes[at] === 0x8f ? 3 : pair(bytes, at)),
  'euc-kr': pair,
  big5: pair,
  gb18030: (bytes, at) => {
    const length = pair(bytes, at);
    const second = bytes[at + 1] ?? 0;
    return length === 2 && second >= 0x30 && second <= 0x39 ? 4 : length;
  },
};

function pair(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) > 0x80 ? 2 : 1;
}

/** The bytes 0xa1 to 0xdf are Katakana of half the width. */
function isJapaneseLead(byte: number): boolean {
  return (byte > 0x80 && byte < 0xa0) || byte >= 0xe0;
}
