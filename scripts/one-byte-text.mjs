/**
 * Writes a bundle with one byte for each character. V8 keeps the text of every loaded file, and with two bytes for each of its
 * characters if a single one is beyond Latin-1: an arrow in a comment costs as many bytes of memory as the bundle is long.
 */

const BEYOND_LATIN_1 = /[\u0100-\uffff]/g;
/** Of a template with `String.raw`, an escape is not what the character was. */
const RAW_TEMPLATE = /String\.raw`[^`]*[\u0100-\uffff][^`]*`/;

/**
 * esbuild escapes such characters in texts by itself; what is left stands in comments and in regular expressions, where an escape
 * means the same.
 * @throws Error where it would not
 */
export function oneByteText(code) {
  const raw = RAW_TEMPLATE.exec(code);
  if (raw !== null)
    throw new Error(`a raw template has a character beyond Latin-1, which cannot be escaped: ${raw[0]}`);
  return code.replace(BEYOND_LATIN_1, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
