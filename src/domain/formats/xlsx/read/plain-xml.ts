/** Reads texts of XML that are plainly written, and leaves all others to the parser. */
import { bytesOfText } from './xml-bytes.js';

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));|&/g;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A string of bytes with its references resolved; null when XML does not know one of them. */
export function resolveReferences(text: string): string | null {
  let sound = true;
  const resolved = text.replace(REFERENCE, (_all, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED[name] as string;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
    if (isXmlCharacter(code)) return code < 0x80 ? String.fromCharCode(code) : bytesOfText(String.fromCodePoint(code));
    sound = false;
    return '';
  });
  return sound ? resolved : null;
}

/** NaN, the code of a lone ampersand, is not a character. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
