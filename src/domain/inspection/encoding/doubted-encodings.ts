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

export const WESTERN = 'windows-1252';
/** So few different places of letters are one or two words. */
const FEW = 4;

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

/** What is asked for beside the encoding that scores best, besides its rivals by score. */
export interface Doubts {
  /** Whether another encoding, with its score, is asked for as well. */
  readonly isDoubted: (other: string, score: number) => boolean;
  /** The same, where something is asked in any case: of one or two words, all readings that may be words are shown. */
  readonly isShown: (other: string, score: number) => boolean;
}

/**
 * @param leastOfOld what an old encoding scores at least that is asked for beside WESTERN; null: none is
 * @param isKnown whether the text has words of the language whose letters the best encoding makes of the bytes
 */
export function doubtsOf(best: string, neighbours: Neighbours, leastOfOld: number | null, isKnown: boolean): Doubts {
  const isFew = neighbours.size <= FEW;
  const isWords = (_other: string, score: number) => score >= LEAST_OF_WORDS;
  return {
    isDoubted: doubtOf(best, neighbours, { leastOfOld, isFew, isKnown }),
    isShown: isFew ? isWords : () => false,
  };
}

function doubtOf(
  best: string,
  neighbours: Neighbours,
  {
    leastOfOld,
    isFew,
    isKnown,
  }: { readonly leastOfOld: number | null; readonly isFew: boolean; readonly isKnown: boolean },
): Doubts['isDoubted'] {
  // Their letters are in other places: a word such as `Modèle` is one in several of them.
  if (isOld(best)) return (other, score) => isOld(other) && score >= LEAST_OF_SCRIPT;
  if (best === WESTERN && leastOfOld !== null) return (other, score) => isOld(other) && score >= leastOfOld;
  if (USUAL.has(best) && !(isFew && touchesAscii(neighbours))) return () => false;
  // One word with an accent is a word in several: `Noël`, `Noėl`; `yeşil`, `yeţil`.
  if (best !== WESTERN && isFew && !isKnown) return (_other, score) => score >= LEAST_OF_WORDS;
  // Two or three letters without any of ASCII beside them are a word in every script: `кг`, `ËÇ`.
  if (touchesAscii(neighbours)) return () => false;
  return (other, score) => NOT_LATIN.has(other) && score >= LEAST_OF_WORDS;
}

/** Whether a byte above 0x7f stands beside a letter of ASCII. */
function touchesAscii(neighbours: Neighbours): boolean {
  return [...neighbours.keys()].some((key) => isAsciiLetter(key >> 16) || isAsciiLetter(key & 0xff));
}

function isAsciiLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return byte < 0x80 && lower >= 0x61 && lower <= 0x7a;
}
