/** The passes over the rows of a chunk: later ones apply the rows that earlier ones have deferred. */
import { OUTCOME } from './chunk-result.js';

/*
 * The passes of a job: rows that refer to other rows of the same input are deferred until those have been applied.
 *
 * The first pass applies the rows that refer to no other, in any order. Each pass after it goes through the deferred
 * rows in the order of the input; a row that refers to a row not yet applied is deferred to another pass. When few rows
 * remain, or a pass has applied nothing, the last pass takes the remaining rows as a set: it applies what can be applied
 * together, and records for each other row why it cannot be applied.
 */

/** One pass over the rows. */
export interface Pass {
  /** 0 is the first pass. */
  readonly number: number;
  /** The outcomes of the earlier passes for these rows, one letter per row; empty in the first pass. */
  readonly before: string;
  /** No pass follows, so no row can be deferred. */
  readonly last: boolean;
}

export const FIRST_PASS: Pass = { number: 0, before: '', last: false };

/** The number of the last pass, however many passes precede it. */
const LAST = 100;
/** The most rows that the last pass takes as one set, which is in memory as a whole. Further rows are another set. */
export const MOST_ROWS_OF_A_SET = 20_000;
/**
 * The most passes after the first while rows are still being applied. Bundles are not nested deeper than this (see
 * MOST_LEVELS), so a row that is deferred even then can never be applied.
 */
const MAX_PASSES = 12;

/** @param before the outcomes of the earlier passes */
export function passOf(number: number, before: string): Pass {
  return { number, before, last: number === LAST };
}

/**
 * Returns the number of the pass that follows; null when none does.
 * @param waitedBefore rows that were deferred when the pass `number` began
 * @param waiting rows that are deferred after it
 */
export function nextPass(number: number, waitedBefore: number, waiting: number): number | null {
  if (waiting === 0 || number === LAST) return null;
  if (number === 0) return 1;
  // A set is resolved whatever the order of its rows, so that further passes would only read them once more.
  if (waiting <= MOST_ROWS_OF_A_SET) return LAST;
  return waiting === waitedBefore || number >= MAX_PASSES ? LAST : number + 1;
}

/** Counts the deferred rows. */
export function countWaiting(outcomes: ArrayLike<string>): number {
  let waiting = 0;
  for (let row = 0; row < outcomes.length; row++) if (outcomes[row] === OUTCOME.deferred) waiting++;
  return waiting;
}

/** Merges the outcomes of a pass into those of the earlier passes: a row that it deferred keeps its earlier outcome. */
export function afterPass({ number, before }: Pass, outcomes: readonly string[]): string {
  if (number === 0) return outcomes.join('');
  return outcomes
    .map((outcome, index) => (outcome === OUTCOME.deferred ? (before[index] ?? outcome) : outcome))
    .join('');
}
