/** Says whether signs of windows-1252 stand where signs do, or where letters of a word do: in DOS and on Macs they are letters. */
import { codePage } from './code-pages.js';
import { COMMON_SIGNS } from './languages.js';
import type { Neighbours } from './score-code-page.js';

const LETTER = /\p{L}/u;
const SMALL = /\p{Ll}/u;
const CAPITAL = /\p{Lu}/u;
const VOWEL = /[aeiouyhàâäéèêëîïôöûüœæ]/i;
/** What ends before a vowel: l’eau, d’été, qu’il. */
const ELIDED = /[dlnscjtmu]/i;
/** What verbs are shortened to: it’s, you’re, I’ve, we’ll. */
const SHORTENED = /[stmdrvl]/i;
const PRONOUN_END = /[eyui]/i;
/** Rare letters, and signs that hardly stand at a word: in old encodings they are letters that most languages have. */
const RARE = /[ƒŠŒŽšœžŸ]/;
const AT_NO_WORD = /[†‡ˆ‰‹›˜¾½¼§]/;
const MONEY = /[€£¢¤¥]/;
/** Behind a word, or before one, they may be signs as well as à, á, ù, ò. */
const OPEN = /[…–—•\u00a0]/;
/** So few different places of bytes above 0x7f are one or two words. */
const FEW_PLACES = 3;
/** Words of languages that have none of the letters which OPEN may be at an end of a word. */
const WITHOUT_THEM = [
  /\b(?:and|the|with|for|from|this|your|more|are|is)\b/gi,
  /\b(?:und|mit|der|die|das|aus|von|nicht|auf|zum|bei|ohne)\b/gi,
];
const LEAST_WORDS = 2;

/** What words score in old encodings, and what letters that stand by themselves, such as `à`. What is no text scores less. */
const LEAST_OF_WORDS = 0.9;
const LEAST_OF_LETTERS = -0.5;

type Place = 'sign' | 'letter' | 'either';

export interface SignPlaces {
  /** Whether the text may be one of DOS or of a Mac at all. */
  readonly mayBeOld: boolean;
  /** What an old encoding has to score at least to be asked for beside windows-1252; null: none is. */
  readonly leastOfOld: number | null;
}

/**
 * @param present the bytes above 0x7f that the file has
 * @param head of the file, whose words say which language it is in
 */
export function signPlaces(present: readonly number[], neighbours: Neighbours, head: Buffer): SignPlaces {
  const table = codePage('windows-1252');
  /** The signs that stand before something else than a letter, as those do that close a quotation. */
  const closing = new Set(
    [...neighbours.keys()]
      .filter((key) => !LETTER.test(table[key & 0xff] as string))
      .map((key) => table[(key >> 8) & 0xff] as string),
  );
  const count = { sign: 0, letter: 0, either: 0, rare: 0 };
  for (const [key, times] of neighbours) {
    const sign = table[(key >> 8) & 0xff] as string;
    const place = placeOf(table[key >> 16] as string, sign, table[key & 0xff] as string, closing);
    count[RARE.test(sign) ? 'rare' : place] += times;
  }
  const all = count.sign + count.letter + count.either + count.rare;
  const old = count.letter + count.rare;
  const isOpen =
    neighbours.size <= FEW_PLACES && count.either > 0 && (count.either + old) * 2 >= all && !hasOtherWords(head);
  const areSigns = present.every((byte) => COMMON_SIGNS.has(table[byte] as string));
  const areLetters = count.letter > 0 && count.letter * 2 >= all;
  const leastOfOld = areLetters || isOpen ? LEAST_OF_LETTERS : old * 2 >= all ? LEAST_OF_WORDS : null;
  return { mayBeOld: !areSigns || areLetters || isOpen, leastOfOld };
}

/** Whether the text is in a language that has no such letters. */
function hasOtherWords(head: Buffer): boolean {
  const text = head.toString('latin1');
  return WITHOUT_THEM.some(
    (words) => new Set((text.match(words) ?? []).map((word) => word.toLowerCase())).size >= LEAST_WORDS,
  );
}

function placeOf(before: string, sign: string, after: string, closing: ReadonlySet<string>): Place {
  const isBehind = LETTER.test(before);
  const isBefore = LETTER.test(after);
  if (!isBehind && !isBefore) return sign === '…' && after === ' ' && before !== ' ' ? 'either' : 'sign';
  if (MONEY.test(sign)) return isBefore ? 'letter' : 'sign';
  if (sign === '™') return isBefore ? 'letter' : 'sign';
  if (AT_NO_WORD.test(sign)) return 'letter';
  if (sign === '¿' || sign === '¡') return isBehind ? 'letter' : 'sign';
  if (sign === '‚') return isBehind || !(closing.has('‘') || closing.has('’')) ? 'letter' : 'sign';
  if (sign === '„') return isBehind || !(closing.has('“') || closing.has('”')) ? 'letter' : 'sign';
  if (sign === '“') return isBehind && isBefore ? 'letter' : 'sign';
  // In Swedish it opens a quotation as well.
  if (sign === '”') return isBefore && (isBehind || !closing.has('”')) ? 'letter' : 'sign';
  if (sign === '‘' && !isBehind) return closing.has('’') || closing.has('‘') ? 'sign' : 'either';
  if (sign === '‘' || sign === '’') return !isBehind || !isBefore || isApostrophe(before, after) ? 'sign' : 'letter';
  if (!OPEN.test(sign)) return 'sign';
  // `Size M`, `Köln–Bonn`: a word ends where a capital follows a small letter.
  if (isBehind && isBefore && SMALL.test(before) && CAPITAL.test(after)) return 'sign';
  if (sign === '…') return ellipsis(before, after);
  if (isBehind && isBefore) return 'either';
  // `Prix : 5`
  if (/[:!?%»]/.test(after)) return 'sign';
  // `5 cm`, `Size 5`: no word stands beside a digit.
  return /\d/.test(before) || /\d/.test(after) ? 'sign' : 'either';
}

/** It may be à at an end of a word, where it stands behind no vowel but i, and Ö of a Mac before a consonant, or within capitals. */
function ellipsis(before: string, after: string): Place {
  const isBehind = LETTER.test(before);
  if (isBehind && LETTER.test(after)) return CAPITAL.test(before) && CAPITAL.test(after) ? 'letter' : 'sign';
  return VOWEL.test(isBehind ? before.replace(/i/i, '') : after) ? 'sign' : 'either';
}

function isApostrophe(before: string, after: string): boolean {
  if (CAPITAL.test(before) || CAPITAL.test(after) || /[st]/i.test(after)) return true;
  // `Rock’n’Roll`
  if (/[kmh]/i.test(before) && /n/i.test(after)) return true;
  if (VOWEL.test(after)) return ELIDED.test(before);
  return SHORTENED.test(after) && PRONOUN_END.test(before);
}
