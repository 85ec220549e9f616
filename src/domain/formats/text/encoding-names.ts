/** The encodings of texts, and the names that are used for them. */

/**
 * The encodings, with the other names of each. A name counts without case and without anything but letters and digits:
 * `ISO 8859-2`, `iso_8859-2` and `iso88592` are one. As in browsers, `latin1` is windows-1252, `iso-8859-9` is windows-1254 and
 * `gbk` is gb18030, which contain them.
 */
const OTHER_NAMES = {
  'utf-8': [],
  'utf-16le': ['ucs2', 'ucs2le', 'unicode', 'utf-16'],
  'utf-16be': ['ucs2be'],
  'windows-1250': ['cp1250', 'win1250'],
  'windows-1251': ['cp1251', 'win1251'],
  'windows-1252': ['cp1252', 'win1252', 'latin1', 'l1', 'iso-8859-1', 'ascii', 'us-ascii', 'ansi'],
  'windows-1253': ['cp1253', 'win1253'],
  'windows-1254': ['cp1254', 'win1254', 'latin5', 'iso-8859-9'],
  'windows-1255': ['cp1255', 'win1255', 'iso-8859-8-i'],
  'windows-1256': ['cp1256', 'win1256'],
  'windows-1257': ['cp1257', 'win1257'],
  'windows-1258': ['cp1258', 'win1258'],
  'windows-874': ['cp874', 'ms874', 'tis-620', 'iso-8859-11'],
  'iso-8859-2': ['latin2', 'l2'],
  'iso-8859-15': ['latin9', 'l9'],
  'koi8-r': ['koi8', 'koi'],
  macintosh: ['mac', 'macroman', 'x-mac-roman'],
  ibm850: ['cp850', 'dos850', '850'],
  ibm852: ['cp852', 'dos852', '852'],
  ibm866: ['cp866', 'dos866', '866'],
  shift_jis: ['sjis', 'ms_kanji', 'ms932', 'cp932', 'windows-31j', 'csShiftJIS'],
  'euc-jp': ['ujis'],
  gb18030: ['gbk', 'gb2312', 'euc-cn', 'cp936', 'ms936', 'windows-936'],
  big5: ['big5-hkscs', 'cp950', 'ms950', 'windows-950'],
  'euc-kr': ['cp949', 'ms949', 'windows-949', 'uhc', 'ks_c_5601-1987', 'ksc5601'],
} as const;

export type TextEncoding = keyof typeof OTHER_NAMES;

/** The names by which messages and pages call the encodings. */
export const ENCODINGS = Object.keys(OTHER_NAMES) as TextEncoding[];

const BY_NAME: ReadonlyMap<string, TextEncoding> = new Map(
  ENCODINGS.flatMap((encoding) => [encoding, ...OTHER_NAMES[encoding]].map((name) => [plain(name), encoding])),
);

/** The encoding of a name; undefined when none has it. */
export function encodingNamed(name: string): TextEncoding | undefined {
  return BY_NAME.get(plain(name));
}

/** Whether a name leaves the order of the bytes of UTF-16 open. */
export function leavesByteOrderOpen(name: string): boolean {
  return plain(name) === 'utf16';
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
