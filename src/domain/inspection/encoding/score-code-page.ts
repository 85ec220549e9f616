/** Scores how well a sample of words reads in an encoding with one byte for each character. */
import { codePage } from './code-pages.js';
import { COMMON_SIGNS, LANGUAGES, type Language } from './languages.js';

const LETTER = /\p{L}/u;
const OTHER_SCRIPT = /[\u0370-\u052f]/;
const ASCII_LETTER = /[a-z]/i;
/** Bytes without a character, controls, and what draws boxes. */
const NO_TEXT = /[\ufffd\u0080-\u009f\u2500-\u259f\u2320\u2321]/;
/** Signs that stand within words. */
const WITHIN_WORDS = new Set('’·\u00ad‘');

/** What it adds if the text has words of the language. */
const WORDS_WEIGHT = 0.3;

interface Occurrence {
  readonly character: string;
  readonly before: string;
  readonly after: string;
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

/** From below 0 (no text) to above 1 (all characters are those of one language, whose words the text has as well). */
export function scoreCodePage(sample: Buffer, encoding: string, languages: ReadonlyMap<Language, number>): number {
  const occurrences = occurrencesIn(sample, codePage(encoding));
  if (occurrences.length === 0) return 0;
  const plain = occurrences.reduce((sum, each) => sum + plainScore(each), 0);
  const letters = occurrences.filter(({ character }) => LETTER.test(character));
  let best = 0;
  for (const language of LANGUAGES) {
    const own = letters.filter(({ character }) => language.letters.has(character.toLowerCase())).length;
    const share = own / occurrences.length;
    best = Math.max(best, share + share * WORDS_WEIGHT * (languages.get(language) ?? 0));
  }
  return plain / occurrences.length + best;
}

function occurrencesIn(sample: Buffer, table: readonly string[]): Occurrence[] {
  const found: Occurrence[] = [];
  for (let at = 0; at < sample.length; at += 1) {
    const byte = sample[at] as number;
    if (byte < 0x80) continue;
    found.push({
      character: table[byte] as string,
      before: at === 0 ? '\n' : (table[sample[at - 1] as number] as string),
      after: at + 1 === sample.length ? '\n' : (table[sample[at + 1] as number] as string),
    });
  }
  return found;
}

/** What the place of a character says, whatever the language is. */
function plainScore({ character, before, after }: Occurrence): number {
  if (NO_TEXT.test(character)) return -4;
  const isBetween = LETTER.test(before) && LETTER.test(after);
  if (LETTER.test(character)) {
    // No word has Latin and other letters.
    if (OTHER_SCRIPT.test(character) && (ASCII_LETTER.test(before) || ASCII_LETTER.test(after))) return -1;
    if (isUpper(character) && LETTER.test(before) && !isUpper(before)) return -1;
    return LETTER.test(before) || LETTER.test(after) ? 0 : -0.3;
  }
  if (COMMON_SIGNS.has(character)) return isBetween && !WITHIN_WORDS.has(character) ? -1 : 0.7;
  return -0.7;
}

function isUpper(character: string): boolean {
  return character !== character.toLowerCase();
}
