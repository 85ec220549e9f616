/** Scores how well a sample of words reads in an encoding with one byte for each character. */
import { codePage } from './code-pages.js';
import { COMMON_SIGNS, LANGUAGES, type Language } from './languages.js';

/** Vowels and tones of some scripts are marks of their own. */
const LETTER = /[\p{L}\p{M}]/u;
const OTHER_SCRIPT = /[\u0370-\u052f\u0590-\u06ff\u0e00-\u0e7f]/;
const ASCII_LETTER = /[a-z]/i;
const SMALL_ASCII = /[a-z]/;
const LARGE_ASCII = /[A-Z]/;
/** Bytes without a character, controls, and what draws boxes. */
const NO_TEXT = /[\ufffd\u0080-\u009f\u2500-\u259f\u2320\u2321]/;
/** The tones of Vietnamese stand behind its vowels. */
const TONE = /[\u0300\u0301\u0303\u0309\u0323]/;
const VOWEL = /[aăâeêioôơuưy]/i;
/** Signs that stand within words. */
const WITHIN_WORDS = new Set('’·\u00ad‘');

/** What it adds if the text has words of the language. */
const WORDS_WEIGHT = 0.3;

/** Of the words of the language that the text has most words of, so many are those of another that it may be in. */
const LEAST_SHARE = 0.8;

/** How often a byte above 0x7f stands between two others: the key is the three bytes. Texts have few of them. */
export type Neighbours = ReadonlyMap<number, number>;

const LINE_END = 10;

export function neighboursIn(sample: Buffer): Neighbours {
  const found = new Map<number, number>();
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] as number;
    if (byte < 0x80) continue;
    const key = ((sample[at - 1] ?? LINE_END) << 16) | (byte << 8) | (sample[at + 1] ?? LINE_END);
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

interface Occurrence {
  readonly character: string;
  readonly before: string;
  readonly after: string;
  readonly count: number;
}

/** What the words of the text below 0x80 say about its language: a share for each, from 0 to 1. */
export function languagesOf(head: Buffer): ReadonlyMap<Language, number> {
  // Each word counts once; one letter is a part of a code.
  const words = new Set(
    head
      .toString('latin1')
      .toLowerCase()
      .match(/[a-z]{2,}/g) ?? [],
  );
  const hits = new Map(LANGUAGES.map((language) => [language, 0]));
  for (const word of words) {
    for (const language of LANGUAGES) {
      if (language.words.has(word)) hits.set(language, (hits.get(language) ?? 0) + 1);
    }
  }
  const most = Math.max(1, ...hits.values());
  return new Map([...hits].map(([language, count]) => [language, count / most]));
}

/** Whether letters are those of a language whose words the text has as well. */
export function isKnown(letters: string, languages: ReadonlyMap<Language, number>): boolean {
  const small = [...letters.toLowerCase()].filter((letter) => LETTER.test(letter));
  return [...languages].some(
    ([language, share]) => share >= LEAST_SHARE && small.every((letter) => language.letters.has(letter)),
  );
}

/** From below 0 (no text) to above 1 (all characters are those of one language, whose words the text has as well). */
export function scoreCodePage(
  neighbours: Neighbours,
  encoding: string,
  languages: ReadonlyMap<Language, number>,
): number {
  const occurrences = occurrencesIn(neighbours, codePage(encoding));
  const all = countOf(occurrences);
  if (all === 0) return 0;
  const plain = occurrences.reduce((sum, each) => sum + plainScore(each) * each.count, 0);
  // A letter by itself is none of a word: in Polish, the sign of pounds would be one.
  const letters = occurrences
    .filter(({ character, before, after }) => LETTER.test(character) && (LETTER.test(before) || LETTER.test(after)))
    .map(({ character, count }) => ({ letter: character.toLowerCase(), count }));
  let best = 0;
  for (const language of LANGUAGES) {
    const share = countOf(letters.filter(({ letter }) => language.letters.has(letter))) / all;
    best = Math.max(best, share + share * WORDS_WEIGHT * (languages.get(language) ?? 0));
  }
  return plain / all + best;
}

function countOf(counted: readonly { readonly count: number }[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

function occurrencesIn(neighbours: Neighbours, table: readonly string[]): Occurrence[] {
  return [...neighbours].map(([key, count]) => ({
    character: table[(key >> 8) & 0xff] as string,
    before: table[key >> 16] as string,
    after: table[key & 0xff] as string,
    count,
  }));
}

/** What the place of a character says, whatever the language is. */
function plainScore({ character, before, after }: Occurrence): number {
  if (NO_TEXT.test(character)) return -4;
  const isBetween = LETTER.test(before) && LETTER.test(after);
  if (TONE.test(character)) return VOWEL.test(before) ? 0 : -1;
  if (LETTER.test(character)) {
    // No word has Latin and other letters.
    if (OTHER_SCRIPT.test(character) && (ASCII_LETTER.test(before) || ASCII_LETTER.test(after))) return -1;
    if (isUpper(character) && LETTER.test(before) && !isUpper(before)) return -1;
    // `KÑse`: hardly a word begins with two capitals.
    if (isUpper(character) && LARGE_ASCII.test(before) && SMALL_ASCII.test(after)) return -1;
    return LETTER.test(before) || LETTER.test(after) ? 0 : -0.3;
  }
  if (COMMON_SIGNS.has(character)) return isBetween && !WITHIN_WORDS.has(character) ? -1 : 0.7;
  return -0.7;
}

function isUpper(character: string): boolean {
  return character !== character.toLowerCase();
}
