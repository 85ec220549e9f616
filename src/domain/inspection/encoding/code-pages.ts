/** The encodings with one byte for each character, as tables. */
import { decodeHead } from '../../formats/text/text-encoding.js';

/** The encodings of DOS and of older Macs, in which many signs of Windows are letters; that of Macs, the rarest, is last. */
export const OLD_PAGES = ['ibm850', 'ibm852', 'ibm866', 'macintosh'] as const;

/** In the order in which one is taken when the bytes of a file are the same characters in several. */
export const CODE_PAGES = [
  'windows-1252',
  'iso-8859-15',
  'windows-1250',
  'iso-8859-2',
  'windows-1251',
  'windows-1254',
  'windows-1253',
  'windows-1257',
  'windows-1255',
  'windows-1256',
  'windows-874',
  'windows-1258',
  'koi8-r',
  ...OLD_PAGES,
] as const;

const tables = new Map<string, readonly string[]>();

/** The characters of the bytes 0x00 to 0xff; U+FFFD where the encoding has none. */
export function codePage(encoding: string): readonly string[] {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const text = decodeHead(bytes, encoding);
  const table = [...text].map((character, byte) => corrected(encoding, byte, character));
  tables.set(encoding, table);
  return table;
}

const WINDOWS_1252_HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Node 20 reads windows-1252 as latin1. */
function corrected(encoding: string, byte: number, character: string): string {
  if (byte < 0x80 || byte > 0x9f) return character;
  return encoding === 'windows-1252' ? (WINDOWS_1252_HIGH[byte - 0x80] as string) : character;
}
