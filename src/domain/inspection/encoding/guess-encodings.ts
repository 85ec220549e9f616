/** Asks a detector with models of languages in which encoding a sample is. */
import { guessEncodings as askDetector } from '../../../platform/guess-encodings.js';

/** The encodings that files can be read in, by the detector's names. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['windows-1250', 'windows-1250'],
  ['windows-1251', 'windows-1251'],
  ['windows-1252', 'windows-1252'],
  ['windows-1253', 'windows-1253'],
  ['windows-1254', 'windows-1254'],
  ['windows-1257', 'windows-1257'],
  ['iso-8859-2', 'iso-8859-2'],
  ['iso8859-15', 'iso-8859-15'],
  ['iso-8859-15', 'iso-8859-15'],
  ['windows-1255', 'windows-1255'],
  ['windows-1256', 'windows-1256'],
  ['tis-620', 'windows-874'],
  ['koi8-r', 'koi8-r'],
  ['shift_jis', 'shift_jis'],
  ['cp932', 'shift_jis'],
  ['euc-jp', 'euc-jp'],
  ['gb18030', 'gb18030'],
  ['big5', 'big5'],
  ['euc-kr', 'euc-kr'],
  ['cp949', 'euc-kr'],
]);
/** Those of DOS and of Macs are asked for and not guessed: of four it knows these, which would have an advantage of the others. */
const OLD = ['cp866', 'macroman'];
const ALLOWED = [
  ...['windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254', 'windows-1257', 'iso-8859-2'],
  ...['windows-1255', 'windows-1256', 'tis-620', ...OLD],
  ...['iso-8859-15', 'koi8-r', 'shift_jis', 'cp932', 'euc-jp', 'gb18030', 'big5', 'euc-kr', 'cp949'],
];
/** A guess that is so much less sure than the first is none. */
const LEAST_OF_FIRST = 0.5;
const MAX_BYTES = 16 * 1024;

/** The most probable encodings, the best first. */
export async function guessEncodings(sample: Buffer): Promise<string[]> {
  if (sample.length === 0) return [];
  const found = await askDetector(sample.subarray(0, MAX_BYTES), ALLOWED);
  const least = (found[0]?.confidence ?? 0) * LEAST_OF_FIRST;
  const names = found.flatMap(({ encoding, confidence }) => {
    const name = confidence < least ? undefined : NAMES.get(encoding.toLowerCase());
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)];
}
