/** Judges in which encoding a text is. */
import { isAscii, isUtf8 } from 'node:buffer';
import { ENCODINGS } from '../../formats/text/encoding-names.js';
import { type Answer, ambiguous, certain, likely } from '../model/answer.js';
import { CODE_PAGES, codePage } from './code-pages.js';
import { doubtsOf, isOld, LEAST_OF_SCRIPT, mayBeGuess, SCRIPTS, WESTERN } from './doubted-encodings.js';
import { guessEncodings } from './guess-encodings.js';
import type { TextEvidence } from './read-evidence.js';
import { isKnown, languagesOf, neighboursIn, scoreCodePage } from './score-code-page.js';
import { areShopSigns } from './shop-signs.js';
import { signPlaces } from './sign-places.js';
import { doubtsOfUtf8 } from './valid-utf8.js';

/** An encoding that scores so much less than the best is no rival. */
const RIVAL_WITHIN = 0.3;
const RIVAL_OF_GUESSED = 0.12;
/** What the guess of the detector adds to a score. */
const GUESS_WEIGHT = 0.4;
const MULTI_BYTE = ['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'];
/** The bytes of CJK texts above 0x7f stand in runs, those of accents alone. */
const LEAST_RUN = 1.5;
/** So many runs of bytes above 0x7f are in pairs by chance in no language. */
const LEAST_RUNS = 10;
const LEAST_PAIRED = 0.95;
/** Of the words of a text in UTF-8 of which a byte was lost, so many are valid. */
const LEAST_UTF8 = 0.8;
/** Of the bytes above 0x7f in a Western or Cyrillic text, so many are letters. */
const LEAST_LETTERS = 0.4;
/** Those of MULTI_BYTE in which both bytes of a character are above 0x7f. */
const PAIRED = ['gb18030', 'big5', 'euc-kr', 'euc-jp'];

export async function judgeEncoding(evidence: TextEvidence): Promise<Answer<string>> {
  const { head } = evidence;
  const marked = byteOrderMark(head);
  if (marked !== null) return certain(marked, `The file begins with the byte order mark of ${marked.toUpperCase()}.`);
  const wide = utf16Without(head);
  if (wide !== null)
    return certain(wide, `Every other byte of the first characters is 0, as in ${wide.toUpperCase()}.`);
  if (evidence.isAscii) return certain('utf-8', 'All bytes of the file are ASCII, which is the same in all encodings.');
  if (evidence.isUtf8)
    return doubtsOfUtf8(head) ?? certain('utf-8', 'All bytes of the file are valid UTF-8, and some are not ASCII.');
  const legacy = await judgeLegacy(evidence);
  if (!evidence.isPartlyUtf8 && !isMostlyUtf8(evidence.sample)) return legacy;
  const reason = `A part of the file is valid UTF-8, and another is not: ${exampleOf(evidence, legacy.value ?? 'windows-1252')}.`;
  return ambiguous('utf-8', reason, legacy.value === null ? [] : [legacy.value]);
}

/** The other encodings in which an import reads the same characters. @param value the encoding of the text */
export function encodingsAlike(evidence: TextEvidence, value: string): string[] {
  const { head, counts } = evidence;
  const others = ENCODINGS.filter((encoding) => encoding !== value);
  // A mark takes precedence over what is said.
  if (byteOrderMark(head) !== null) return others;
  if (evidence.isAscii && utf16Without(head) === null)
    return others.filter((encoding) => !encoding.startsWith('utf-16'));
  const pages: readonly string[] = CODE_PAGES;
  if (!pages.includes(value)) return [];
  const present = [...counts.keys()].filter((byte) => byte >= 0x80 && (counts[byte] as number) > 0);
  const table = codePage(value);
  return pages.filter((page) => page !== value && present.every((byte) => codePage(page)[byte] === table[byte]));
}

/** The encoding that a text says by its first bytes; null: it does not. */
export function byteOrderMark(head: Buffer): string | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : null;
}

/** UTF-16 without a mark: delimiters, digits and line ends have a byte 0, always on the same side. */
function utf16Without(head: Buffer): string | null {
  const length = Math.min(head.length & ~1, 64 * 1024);
  if (length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (head[at] === 0) even += 1;
    if (head[at + 1] === 0) odd += 1;
  }
  const most = Math.max(even, odd);
  if (most * 20 < length / 2 || Math.min(even, odd) * 10 > most) return null;
  const lineEnd = odd > even ? [0x0a, 0] : [0, 0x0a];
  const hasLineEnd = head.subarray(0, length).includes(Buffer.from(lineEnd));
  if (!hasLineEnd && most * 4 < length / 2) return null;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

interface Scored {
  readonly encoding: string;
  readonly score: number;
  /** The characters of the bytes above 0x7f that the file has. */
  readonly reading: string;
}

async function judgeLegacy(evidence: TextEvidence): Promise<Answer<string>> {
  const { sample, counts, head } = evidence;
  const present = [...counts.keys()].filter((byte) => byte >= 0x80 && (counts[byte] as number) > 0);
  // The detector would take them for letters of another script.
  if (areShopSigns(present, sample))
    return certain(WESTERN, `The bytes above 127 are signs in ${WESTERN}: ${exampleOf(evidence, WESTERN)}.`);
  // Whole lines say more of a language than words alone.
  const found = await guessEncodings(isAscii(head) ? sample : head);
  const languages = languagesOf(head);
  const neighbours = neighboursIn(sample);
  const { mayBeOld, leastOfOld } = signPlaces(present, neighbours, head);
  const pages = mayBeOld ? CODE_PAGES : CODE_PAGES.filter((encoding) => !isOld(encoding));
  const scored = pages.map((encoding): Scored => {
    const table = codePage(encoding);
    const reading = present.map((byte) => table[byte]).join('');
    return { encoding, score: scoreCodePage(neighbours, encoding, languages), reading };
  });
  // The detector takes single signs for letters of other scripts: then the words decide.
  const isWord = (encoding: string) =>
    scored.every((each) => each.encoding !== encoding || each.score >= LEAST_OF_SCRIPT);
  const guesses = found.filter((encoding) => !SCRIPTS.includes(encoding) || isWord(encoding));
  const [guess] = guesses;
  if (guess !== undefined && MULTI_BYTE.includes(guess) && meanRun(sample) >= LEAST_RUN && decodes(sample, guess)) {
    const reason = `The bytes above 127 are characters of ${guess}, such as ${exampleOf(evidence, guess)}.`;
    const [, second] = guesses;
    return second !== undefined && MULTI_BYTE.includes(second) && decodes(sample, second)
      ? likely(guess, reason, [second])
      : certain(guess, reason);
  }
  // The first of the encodings that read the file alike stands for all of them.
  const readings = scored.filter(({ reading }, nth) => scored.findIndex((other) => other.reading === reading) === nth);
  const guessed = scored.find(({ encoding }) => encoding === guess)?.reading;
  const [best, ...others] = readings
    .map((each) => ({ ...each, score: bestOf(scored, each.reading) + (each.reading === guessed ? GUESS_WEIGHT : 0) }))
    .toSorted((a, b) => b.score - a.score) as [Scored, ...Scored[]];
  // What the detector says as well is surer; what it contradicts is never certain.
  const isGuessed = best.reading === guessed || guessed === undefined;
  const within = isGuessed ? RIVAL_OF_GUESSED : RIVAL_WITHIN;
  const { isDoubted, isShown } = doubtsOf(best.encoding, neighbours, leastOfOld, isKnown(best.reading, languages));
  const isRival = (other: Scored) =>
    other.score > best.score - within ||
    (!isGuessed && other.reading === guessed && mayBeGuess(best.encoding, other.score)) ||
    isDoubted(other.encoding, other.score);
  const isOpen = others.some(isRival);
  const rivals = others.filter((other) => isRival(other) || (isOpen && isShown(other.encoding, other.score)));
  const [paired, ...otherPaired] =
    isPaired(sample) && lettersIn(sample, best.encoding) < LEAST_LETTERS
      ? PAIRED.filter((encoding) => decodes(sample, encoding))
      : [];
  if (paired === undefined) return answerOf(evidence, best, rivals, scored);
  const reason = `The bytes above 127 stand in pairs. In ${paired} the text has ${exampleOf(evidence, paired)}, in ${best.encoding} ${exampleOf(evidence, best.encoding)}.`;
  return ambiguous(paired, reason, [...otherPaired, best.encoding, ...rivals.map(({ encoding }) => encoding)]);
}

function bestOf(scored: readonly Scored[], wanted: string): number {
  return Math.max(...scored.flatMap(({ reading, score }) => (reading === wanted ? [score] : [])));
}

function answerOf(
  evidence: TextEvidence,
  best: Scored,
  rivals: readonly Scored[],
  scored: readonly Scored[],
): Answer<string> {
  const same = scored.filter(({ reading, encoding }) => reading === best.reading && encoding !== best.encoding);
  const example = exampleOf(evidence, best.encoding);
  const alike =
    same.length === 0
      ? ''
      : ` In ${same.map(({ encoding }) => encoding).join(', ')} all characters of the file are the same.`;
  if (rivals.length === 0)
    return certain(best.encoding, `The bytes above 127 are letters of words in ${best.encoding}: ${example}.${alike}`);
  const others = rivals.map(({ encoding }) => encoding);
  const [other = ''] = others;
  const reason = `In ${best.encoding} the text has ${example}, in ${other} ${exampleOf(evidence, other)}.`;
  return ambiguous(best.encoding, reason, others);
}

function meanRun(sample: Buffer): number {
  const runs = runsIn(sample);
  return runs.length === 0 ? 0 : runs.reduce((sum, length) => sum + length, 0) / runs.length;
}

/** Whether the bytes above 0x7f stand in pairs, as in texts of few CJK characters, such as wide brackets. */
function isPaired(sample: Buffer): boolean {
  const runs = runsIn(sample);
  return runs.length >= LEAST_RUNS && runs.filter((length) => length % 2 === 0).length >= runs.length * LEAST_PAIRED;
}

/** Whether nearly all words with bytes above 0x7f are valid UTF-8, which those of other encodings are by chance alone. */
function isMostlyUtf8(sample: Buffer): boolean {
  let words = 0;
  let valid = 0;
  for (let at = 0; at < sample.length; ) {
    const end = sample.indexOf(10, at);
    const word = sample.subarray(at, end < 0 ? sample.length : end);
    words += 1;
    if (isUtf8(word)) valid += 1;
    at += word.length + 1;
  }
  return valid >= Math.max(1, words * LEAST_UTF8);
}

/** The share of letters among the bytes above 0x7f, as an encoding of one byte for each character reads them. */
function lettersIn(sample: Buffer, encoding: string): number {
  const table = codePage(encoding);
  const high = sample.filter((byte) => byte >= 0x80);
  return high.filter((byte) => /\p{L}/u.test(table[byte] ?? '')).length / high.length;
}

/** How many bytes above 0x7f stand together, each time. */
function runsIn(sample: Buffer): number[] {
  const runs: number[] = [];
  let length = 0;
  for (const byte of sample) {
    if (byte >= 0x80) length += 1;
    else if (length > 0) {
      runs.push(length);
      length = 0;
    }
  }
  return length > 0 ? [...runs, length] : runs;
}

/** Whether nearly all words of the sample are valid in an encoding. */
function decodes(sample: Buffer, encoding: string): boolean {
  const lines = new TextDecoder(encoding).decode(sample).split('\n');
  // Some decoders take a byte that is no character for a control, and the reader of rows refuses it.
  return lines.filter((line) => /[\ufffd\u0080-\u009f]/.test(line)).length * 50 <= lines.length;
}

/** A word with characters that are not ASCII. */
function exampleOf({ sample }: TextEvidence, encoding: string): string {
  const table = (CODE_PAGES as readonly string[]).includes(encoding) ? codePage(encoding) : null;
  const bytes = sample.subarray(0, 2_000);
  const text =
    table === null ? new TextDecoder(encoding).decode(bytes) : [...bytes].map((byte) => table[byte]).join('');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all that is not ASCII
  const word = /[^\s,;]{0,20}[^\x00-\x7f][^\s,;]{0,20}/.exec(text)?.[0] ?? '';
  return `"${word}"`;
}
