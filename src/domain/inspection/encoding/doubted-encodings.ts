/** Says which encodings are asked for although they score less than the best: no more than chance tells them apart. */
import { OLD_PAGES } from './code-pages.js';
import type { Neighbours } from './score-code-page.js';

/** Encodings of other scripts, which are guessed where hardly anything is there to be guessed by. */
export const SCRIPTS: readonly string[] = ['windows-1255', 'windows-1256', 'windows-874'];
/** What a text in such an encoding, or in an old one, scores at least. */
export const LEAST_OF_SCRIPT = 0.5;
/** What the words of a script score in an encoding of it. */
const LEAST_OF_WORDS = 0.9;
const NOT_LATIN = new Set([...SCRIPTS, 'windows-1251', 'windows-1253', 'koi8-r', 'ibm866']);
/** What stays certain: the usual encodings of their scripts, in which the detector knows words. */
const USUAL = new Set(['windows-1251', 'windows-1253', 'koi8-r']);

const WESTERN = 'windows-1252';
const BALTIC = 'windows-1257';
/** So few different places of letters are one or two words. */
const FEW = 2;
/** Š Œ Ž š œ ž ƒ Ÿ in WESTERN, where few words have them; in old encodings they are letters that most languages have. */
const RARE_IN_WESTERN = new Set([0x83, 0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f]);

/** Whether an encoding is one of DOS or of older Macs. */
export function isOld(encoding: string): boolean {
  return (OLD_PAGES as readonly string[]).includes(encoding);
}

/**
 * Whether what the detector says, with its score, is asked for although `best` scores better. It never says that of Macs: what
 * it says instead may be no text at all. In that of DOS, letters may be quotes.
 */
export function mayBeGuess(best: string, score: number): boolean {
  return best !== 'macintosh' || score >= LEAST_OF_SCRIPT;
}

/** @param best the encoding that scores best. @returns whether another, with its score, is asked for as well */
export function doubtOf(best: string, neighbours: Neighbours): (other: string, score: number) => boolean {
  // Their letters are in other places: a word such as `Modèle` is one in several of them.
  if (isOld(best)) return (other, score) => isOld(other) && score >= LEAST_OF_SCRIPT;
  if (best === WESTERN && hasOldLetters(neighbours)) return (other, score) => isOld(other) && score >= LEAST_OF_WORDS;
  // One accent makes a word of either: `Noël`, `Noėl`.
  if (best === BALTIC && neighbours.size <= FEW) return (other, score) => other === WESTERN && score >= LEAST_OF_WORDS;
  // Two or three letters without any of ASCII beside them are a word in every script: `кг`, `ËÇ`.
  if (USUAL.has(best) || touchesAscii(neighbours)) return () => false;
  return (other, score) => NOT_LATIN.has(other) && score >= LEAST_OF_WORDS;
}

/** Whether half of the bytes above 0x7f are RARE_IN_WESTERN. */
function hasOldLetters(neighbours: Neighbours): boolean {
  let rare = 0;
  let all = 0;
  for (const [key, count] of neighbours) {
    all += count;
    if (RARE_IN_WESTERN.has((key >> 8) & 0xff)) rare += count;
  }
  return rare * 2 >= all;
}

/** Whether a byte above 0x7f stands beside a letter of ASCII. */
function touchesAscii(neighbours: Neighbours): boolean {
  return [...neighbours.keys()].some((key) => isAsciiLetter(key >> 16) || isAsciiLetter(key & 0xff));
}

function isAsciiLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return byte < 0x80 && lower >= 0x61 && lower <= 0x7a;
}
