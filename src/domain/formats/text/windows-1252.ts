/**
 * Windows-1252 in both directions. Its table stands here because Node 20's TextDecoder reads the bytes 0x80 to 0x9f as
 * latin1 (0x80 becomes U+0080), and other libraries refuse the five of them that the encoding leaves undefined: here they
 * stay control characters, as in browsers.
 */
const HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const BYTES: ReadonlyMap<string, string> = new Map(
  [...HIGH].map((character, index) => [character, String.fromCharCode(0x80 + index)]),
);

/** The text of bytes. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (byte) => HIGH.charAt(byte.charCodeAt(0) - 0x80));
}

/** The bytes of a text; characters that the encoding lacks become question marks. */
export function encodeWindows1252(text: string): Buffer {
  const written = text.replace(/[\x80-\x9f\u{100}-\u{10ffff}]/gu, (character) => BYTES.get(character) ?? '?');
  return Buffer.from(written, 'latin1');
}
