/** Judges whether the words of a column are yes and no. */
import { isBit, type Signature, type Trait, type WordTrait } from '../cells/signature.js';
import { type Answer, certain, likely } from '../model/answer.js';
import type { Column, ColumnType } from '../model/column.js';
import { inCell } from './sentences.js';

const LEAST_SHARE = 0.85;
/** The names of columns that count something: 0 and 1 are numbers there. */
const COUNTS =
  /stock|qty|quant|anzahl|menge|bestand|lager|count|sort|position|level|stan|ilo|cantidad|quantit|stück|number|num\b|nr\b|rank/i;

/** One letter may be the code of something. In some languages a sign is a word, such as 예. */
const LETTER = /^[\p{Script=Latin}\p{Script=Cyrillic}]$/u;

interface JudgedWords {
  readonly type: Answer<ColumnType>;
  readonly boolean: NonNullable<Column['boolean']>;
  readonly fits: (trait: Trait) => boolean;
}

/** Null: the column is no boolean. @param total cells that have a value */
export function judgeWords(signatures: readonly Signature[], total: number, name: string): JudgedWords | null {
  const words = signatures.flatMap((signature) =>
    signature.trait.kind === 'word' ? [{ signature, trait: signature.trait }] : [],
  );
  const count = words.reduce((sum, { signature }) => sum + signature.count, 0);
  if (count === 0) return judgeBits(signatures, total, name);
  if (count < total * LEAST_SHARE) return null;
  // A word that is rare is a mistake, and says nothing of the language.
  const usual = words.filter(({ signature }) => signature.count * 50 >= count);
  const [yes, no] = [true, false].map((isYes) => usual.filter(({ trait }) => trait.word.isYes === isYes)) as [
    typeof usual,
    typeof usual,
  ];
  const shown = [yes[0], no[0]].flatMap((each) => (each === undefined ? [] : [inCell(each.signature)]));
  const families = familiesOf(usual.map(({ trait }) => trait));
  const textsOf = (list: typeof usual) => list.map(({ trait }) => trait.text);
  const judged = {
    boolean: { true: textsOf(yes), false: textsOf(no) },
    fits: (trait: Trait) => usual.some((each) => each.trait === trait),
  };
  const isLetter = usual.every(({ trait }) => LETTER.test(trait.text) && !/[yjn]/i.test(trait.text));
  if (yes.length > 0 && no.length > 0) {
    const reason = `The values are yes and no: ${shown.join(' and ')}.`;
    const isCertain = families.length > 0 && !isLetter && count >= total * 0.95;
    return { ...judged, type: isCertain ? certain('boolean', reason) : likely('boolean', reason, ['text']) };
  }
  // One letter alone, as in a column of sizes, says nothing.
  if (isLetter && !usual.every(({ trait }) => /x/i.test(trait.text))) return null;
  const reason = `The only value is ${shown.join('')}, which is one side of yes and no.`;
  return { ...judged, type: likely('boolean', reason, ['text']) };
}

/** 0 and 1 may be numbers. */
function judgeBits(signatures: readonly Signature[], total: number, name: string): JudgedWords | null {
  const bits = signatures.filter(({ trait }) => trait.kind === 'number' && isBit(trait));
  const count = bits.reduce((sum, bit) => sum + bit.count, 0);
  if (bits.length < 2 || count < total * 0.95 || COUNTS.test(name)) return null;
  if (signatures.some(({ trait }) => trait.kind === 'number' && !isBit(trait))) return null;
  const reason = `The values are 0 and 1, which stand for no and yes in most files: ${bits.map(inCell).join(' and ')}.`;
  return {
    type: likely('boolean', reason, ['integer']),
    boolean: { true: ['1'], false: ['0'] },
    fits: (trait) => trait.kind === 'number' && isBit(trait),
  };
}

/** The languages in which all words are yes or no. */
function familiesOf(words: readonly WordTrait[]): number[] {
  const [first, ...others] = words;
  if (first === undefined) return [];
  return [...first.word.families].filter((family) => others.every(({ word }) => word.families.has(family)));
}
