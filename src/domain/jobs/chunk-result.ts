/** What became of the rows of one chunk, wave by wave. */
import type { OutboxEntry } from '../../queues/outbox.js';
import type { RowProblem } from '../kernel/row-problem.js';

/** One letter a row, in row order. `later`: put off to another wave. */
export const OUTCOME = {
  created: 'c',
  updated: 'u',
  unchanged: 'n',
  deleted: 'x',
  failed: 'e',
  duplicate: 'd',
  deferred: '-',
} as const;
export type Outcome = (typeof OUTCOME)[keyof typeof OUTCOME];

/** A row that was not applied, and everything that is wrong with it. */
export interface RowFailure {
  readonly row: number;
  /** The row's key, if it could be read. */
  readonly key: string | null;
  readonly problems: readonly RowProblem[];
}

export interface ChunkResult {
  readonly outcomes: Outcome[];
  /** In row order. */
  readonly failures: RowFailure[];
  /** What to enqueue once the transaction has committed: deliveries of events that tell of the rows. */
  readonly outboxEntries?: readonly OutboxEntry[];
}

export interface ChunkCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
}

/** Counts outcomes: duplicates count as failed, deletions as updated. */
export function countOutcomes(outcomes: Iterable<string>): ChunkCounts {
  let created = 0;
  let updated = 0;
  let unchanged = 0;
  let failed = 0;
  for (const outcome of outcomes) {
    if (outcome === OUTCOME.created) created++;
    else if (outcome === OUTCOME.updated || outcome === OUTCOME.deleted) updated++;
    else if (outcome === OUTCOME.unchanged) unchanged++;
    else if (outcome === OUTCOME.failed || outcome === OUTCOME.duplicate) failed++;
  }
  return { created, updated, unchanged, failed };
}

/** The problem of a row whose key another row of the same job has too. */
export function duplicateProblem(column: string, winningRow: number, winner: 'first' | 'last'): RowProblem {
  const rule = winner === 'first' ? 'the first row with a key stands' : 'the last row with a key stands';
  return {
    code: 'SKU_DUPLICATE_IN_REQUEST',
    column,
    message: `the same key stands in row ${winningRow}, which was applied instead (${rule}); remove one of the two`,
  };
}

/*
 * The waves of a job: rows that refer to others of the same input are put off until those are there.
 *
 * The first wave applies what refers to nothing, in any order. Each wave after it goes through the rows put off, one
 * after another in the order of the input; a row that refers to what is still to come waits for another wave. When a
 * wave has moved nothing, the last one says of each row that is left why it cannot be applied.
 */

/** One pass over the rows. */
export interface Pass {
  /** 0: the first. */
  readonly number: number;
  /** What the waves before made of the rows at hand, a letter a row; empty in the first. */
  readonly before: string;
  /** No wave follows: no row can be put off. */
  readonly last: boolean;
}

export const FIRST_PASS: Pass = { number: 0, before: '', last: false };

/** The number of the last wave, however many there were before it. */
const LAST = 100;
/**
 * Waves after the first that are tried while rows move. What waits refers to what waits, down to something that does
 * not: bundles are nested no deeper than this (see MOST_LEVELS), so that what still waits then never will be applied.
 */
const MAX_PASSES = 12;

/** @param before what the waves before made of the rows */
export function passOf(number: number, before: string): Pass {
  return { number, before, last: number === LAST };
}

/**
 * The number of the wave that follows; null: none.
 * @param waitedBefore rows that waited when the wave `number` began
 * @param waiting rows that wait after it
 */
export function nextPass(number: number, waitedBefore: number, waiting: number): number | null {
  if (waiting === 0 || number === LAST) return null;
  if (number === 0) return 1;
  return waiting === waitedBefore || number >= MAX_PASSES ? LAST : number + 1;
}

/** How many rows wait. */
export function countWaiting(outcomes: Iterable<string>): number {
  let waiting = 0;
  for (const outcome of outcomes) if (outcome === OUTCOME.deferred) waiting++;
  return waiting;
}

/** Of each row what its wave made of it, and of those that it left alone what the waves before did. */
export function afterPass({ number, before }: Pass, outcomes: readonly string[]): string {
  if (number === 0) return outcomes.join('');
  return outcomes
    .map((outcome, index) => (outcome === OUTCOME.deferred ? (before[index] ?? outcome) : outcome))
    .join('');
}
