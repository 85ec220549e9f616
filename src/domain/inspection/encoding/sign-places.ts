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
const ENGLISH = /\b(?:and|the|with|for|from|this|your|more|are|is)\b/gi;
const GERMAN = /\b(?:und|mit|der|die|das|aus|von|nicht|auf|zum|bei|ohne)\b/gi;
/** Words of goods in them, which catalogs in languages with these letters have too, as names of colours. */
const GOODS_WITHOUT_THEM = [
  /\b(?:red|black|white|blue|green|yellow|brown|cotton|leather|wood|wooden|steel|shirt|shoes|table|belt|bag)\b/gi,
  /\b(?:rot|schwarz|blau|gelb|braun|grau|leder|holz|stahl|hemd|hose|schuhe|tisch|tasche|herren|damen|kinder)\b/gi,
];
const WITH_THEM =
  /\b(?:di|il|per|con|della|del|los|las|para|com|do|da|dos|em|le|les|des|du|avec|pour|et|trong|cho|theo|nome|prezzo|colore|nombre|precio|nom|prix|couleur|valor|cor)\b/i;
/** French has none of á, which a no-break space may be. */
const FRENCH = /\b(?:et|les|des|du|avec|pour|dans|aux|rouge|noir|noire|bois|cuir|chaussures|chemise)\b/gi;
const NO_BREAK_SPACE = '\u00a0';
/** Where a word begins, dots may be Ö of a Mac, which German has, and à of DOS, which stands by itself. */
const FIRST_OF_WORD = '…a';
const LEAST_WORDS = 2;
/** Zoë, Chloë, aloë, canoë, così, lunedì to venerdì and aquí of a Mac, whose last letter is a quotation mark in windows-1252. */
const OF_MAC = /\b(?:(?:zo|chlo|alo|cano)\x91|(?:cos|luned|marted|mercoled|gioved|venerd)\x93|aqu\x92)(?![a-z])/i;
/** Small letters of Western words, which are signs or capitals in old encodings; á and ä are ß and õ of DOS. */
const WESTERN_LETTER = /[àâãåæçèéêëìíîïðñòóôõöøùúûüýþÿ]/;

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
  /** Those that stand behind something else than a letter, as those do that open one. */
  const opening = new Set(
    [...neighbours.keys()]
      .filter((key) => !LETTER.test(table[key >> 16] as string))
      .map((key) => table[(key >> 8) & 0xff] as string),
  );
  const hasQuotes = present.some((byte) => byte >= 0x91 && byte <= 0x93);
  const quotes = { closing, opening, hasWordOfMac: hasQuotes && OF_MAC.test(head.toString('latin1')) };
  const count = { sign: 0, letter: 0, either: 0, rare: 0 };
  const open = new Set<string>();
  let hasWesternWord = false;
  for (const [key, times] of neighbours) {
    const [before, sign, after] = [key >> 16, (key >> 8) & 0xff, key & 0xff].map((byte) => table[byte] as string) as [
      string,
      string,
      string,
    ];
    const place = placeOf(before, sign, after, quotes);
    count[RARE.test(sign) ? 'rare' : place] += times;
    if (place === 'either') open.add(sign === '…' && !LETTER.test(before) ? FIRST_OF_WORD : sign);
    if (WESTERN_LETTER.test(sign) && SMALL.test(before) && SMALL.test(after)) hasWesternWord = true;
  }
  const all = count.sign + count.letter + count.either + count.rare;
  const old = count.letter + count.rare;
  const isOpen =
    neighbours.size <= FEW_PLACES &&
    count.either > 0 &&
    (count.either + old) * 2 >= all &&
    !hasWesternWord &&
    !hasOtherWords(head, open);
  const areSigns = present.every((byte) => COMMON_SIGNS.has(table[byte] as string));
  const areLetters = count.letter > 0 && count.letter * 2 >= all;
  const leastOfOld = areLetters || isOpen ? LEAST_OF_LETTERS : old * 2 >= all ? LEAST_OF_WORDS : null;
  return { mayBeOld: !areSigns || areLetters || isOpen, leastOfOld };
}

/** Whether the text is in a language that has none of the letters which these signs may be. */
function hasOtherWords(head: Buffer, open: ReadonlySet<string>): boolean {
  const text = head.toString('latin1');
  const has = (words: RegExp) =>
    new Set((text.match(words) ?? []).map((word) => word.toLowerCase())).size >= LEAST_WORDS;
  if (has(ENGLISH) || has(GERMAN)) return true;
  if (open.has(FIRST_OF_WORD)) return false;
  if (open.size === 1 && open.has(NO_BREAK_SPACE) && has(FRENCH)) return true;
  return GOODS_WITHOUT_THEM.some(has) && !WITH_THEM.test(text);
}

interface Quotes {
  readonly closing: ReadonlySet<string>;
  readonly opening: ReadonlySet<string>;
  readonly hasWordOfMac: boolean;
}

function placeOf(before: string, sign: string, after: string, { closing, opening, hasWordOfMac }: Quotes): Place {
  const isBehind = LETTER.test(before);
  const isBefore = LETTER.test(after);
  if (!isBehind && !isBefore) return sign === '…' && after === ' ' && before !== ' ' ? 'either' : 'sign';
  if (MONEY.test(sign)) return isBefore ? 'letter' : 'sign';
  if (sign === '™') return isBefore ? 'letter' : 'sign';
  if (AT_NO_WORD.test(sign)) return 'letter';
  if (sign === '¿' || sign === '¡') return isBehind ? 'letter' : 'sign';
  if (sign === '‚') return isBehind || !(closing.has('‘') || closing.has('’')) ? 'letter' : 'sign';
  if (sign === '„') return isBehind || !(closing.has('“') || closing.has('”')) ? 'letter' : 'sign';
  if (hasWordOfMac && isBehind && !isBefore && /[‘’“]/.test(sign))
    return ['‚', '‘', '“', '„'].some((open) => opening.has(open)) ? 'sign' : 'letter';
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
