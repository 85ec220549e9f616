/** Says whether all that a text has beyond ASCII are words of one letter, signs and units of Western shops. */
import { isAscii } from 'node:buffer';

/**
 * `à la carte`, `5 à 10 kg`, `È nuovo`, `10 µm`, `12 Å`, `5 ¥`, `1º`, `Ø 12 mm`, `Typ Ü`, `½ l`, `± 5`, `5 ‰`, `20 °C` and `40 × 60` as
 * windows-1252 has them, which is latin1 but for `‰`. None is a letter of a word, and other encodings have none in such places.
 */
const SIGNS = new RegExp(
  [
    '(?<![A-Za-z\\d\\x80-\\xff])(?<!\\d )à(?= [A-Za-z\\d])',
    '(?<=\\d )à(?= \\d)',
    '(?<=^ ?)[Èè](?= [a-z]{2})',
    '(?<=\\d ?)µ(?=[mglsFAVWH](?![A-Za-z]))',
    '(?<=\\d ?)µ(?![^\\s).])',
    '(?<=\\d ?)Å(?![^\\s).])',
    '(?<=\\d ?)¥$',
    '(?<=\\d ?)º(?! ?\\d)(?![A-Za-z\\x80-\\xff])',
    '(?<![A-Za-z\\x80-\\xff])Ø(?= ?\\d)',
    '(?<![A-Za-z\\x80-\\xff])Ü(?![A-Za-z\\x80-\\xff])',
    '(?<![A-Za-z\\d\\x80-\\xff])(?<!\\d )½(?= ?[a-z])',
    '±(?= ?\\d)',
    '(?<=\\d ?)\\x89(?![A-Za-z\\x80-\\xff])',
    '(?<=\\d ?)°',
    '(?<=\\d ?)×(?= ?\\d)',
  ].join('|'),
  'gm',
);
const BYTES = new Set(Buffer.from('àÈèµÅ¥ºØÜ½±\x89°×', 'latin1'));

/**
 * @param present the bytes above 0x7f that the file has
 * @param sample words with them, each on a line
 */
export function areShopSigns(present: readonly number[], sample: Buffer): boolean {
  if (!present.every((byte) => BYTES.has(byte))) return false;
  return isAscii(Buffer.from(sample.toString('latin1').replace(SIGNS, ''), 'latin1'));
}
