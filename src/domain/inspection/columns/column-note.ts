/** Notes how some cells of a column are written: words for no value, and a minus that no import reads without a step. */
import { MINUS_BEHIND } from '../cells/affixes.js';
import type { Signatures } from '../cells/classify-cell.js';
import type { Signature } from '../cells/signature.js';
import { isNoDate } from '../cells/words.js';
import type { ColumnNote } from '../model/inspection.js';

/** Fewer cells that stand for no value are mistakes. */
const LEAST_CELLS = 3;
const LEAST_SHARE = 0.05;
const MOST_WORDS = 50;

/** @param filled cells of the column that are not blank. @returns null when there is nothing to be noted */
export function noteOf(index: number, signatures: Signatures, filled: number): ColumnNote | null {
  const all = signatures.all();
  const nothing = wordsForNothing(all, filled);
  const isBehind = all.some(({ trait }) => trait.kind === 'number' && trait.suffix === MINUS_BEHIND);
  const minusBehind = isBehind || signatures.hasPrintedMinus;
  return nothing === null && !minusBehind ? null : { index, nothing, minusBehind };
}

function wordsForNothing(signatures: readonly Signature[], filled: number): ColumnNote['nothing'] {
  const found = signatures.flatMap(({ trait, count, examples: [first] }) =>
    trait.kind === 'nothing' ? [{ word: trait.text, count, row: first?.row ?? 0 }] : [],
  );
  const all = found.reduce((sum, { count }) => sum + count, 0);
  const isUsual = all >= LEAST_CELLS && all >= filled * LEAST_SHARE;
  // What a database writes for no date is never meant as one.
  const meant = isUsual ? found : found.filter(({ word }) => isNoDate(word));
  const words = meant.slice(0, MOST_WORDS).map(({ word }) => word);
  if (words.length === 0) return null;
  return {
    words,
    count: meant.reduce((sum, { count }) => sum + count, 0),
    row: Math.min(...meant.map(({ row }) => row)),
  };
}
