/**
 * Decides rows as a set: their order decides who gets what several want, but not whether a row is possible. It knows the
 * rows by their indexes only.
 */
import { yieldToEventLoop } from '../../../../platform/time-slice.js';

/** Whether a row may be applied now. */
export interface Judgement {
  readonly isFree: boolean;
  /** The undecided rows that may free it; empty if it is not free, and no row can. */
  readonly blockers: readonly number[];
}

/** Rows that may depend on each other; each step sees what the steps before it changed. */
export interface RowSet {
  readonly size: number;
  /** @param isOpen whether a row is undecided */
  judge(row: number, isOpen: (row: number) => boolean): Judgement;
  /** Applies a row that is free. */
  apply(row: number): void;
  /** Applies rows that wait for each other: all of them or, when that is not possible, none. */
  applyTogether(rows: readonly number[]): boolean;
}

/** How many rows are judged before the thread may yield to the event loop. */
const ROWS_PER_YIELD = 200;
/** Rows that wait for each other are tried together while these trials have looked at no more rows than this. */
const MOST_TRIED = 1_000_000;

/**
 * Applies what can be applied.
 *
 * 1. Each row is judged, and judged again when a row is decided that it waited for. So a chain is applied from its end,
 *    whatever the order of its rows, and each row is judged about as often as it has blockers.
 * 2. The rows that are left then wait for each other. The first of them is tried together with all rows that it waits
 *    for, directly or not. If that is not possible, it fails, and the rows that waited for it are judged again.
 * 3. A row that has failed may be possible at the end, because of rows that were applied after it: then it is applied.
 *
 * @returns the rows that cannot be applied, in order
 */
export async function resolveSet(set: RowSet): Promise<number[]> {
  const open = new Set(Array.from({ length: set.size }, (_, row) => row));
  const isOpen = (row: number): boolean => open.has(row);
  const failed = new Set<number>();
  const waiters = new Map<number, Set<number>>();
  const blockersOf = new Map<number, readonly number[]>();
  const due = [...open];
  let at = 0;
  const decided = (row: number): void => {
    open.delete(row);
    due.push(...[...(waiters.get(row) ?? [])].sort((a, b) => a - b));
    waiters.delete(row);
  };
  const judgeDue = async (): Promise<void> => {
    for (; at < due.length; at++) {
      if (at % ROWS_PER_YIELD === 0) await yieldToEventLoop();
      const row = due[at] as number;
      if (!isOpen(row)) continue;
      const { isFree, blockers } = set.judge(row, isOpen);
      if (blockers.length > 0) {
        blockersOf.set(row, blockers);
        for (const blocker of blockers) waiters.set(blocker, (waiters.get(blocker) ?? new Set()).add(row));
        continue;
      }
      if (isFree) set.apply(row);
      else failed.add(row);
      decided(row);
    }
  };
  await judgeDue();
  for (let tried = 0; open.size > 0; await judgeDue()) {
    const [first] = open as Iterable<number> & { [Symbol.iterator](): Iterator<number> };
    const together = tried < MOST_TRIED ? waitingWith(first as number, blockersOf, isOpen) : [];
    tried += together.length;
    if (together.length > 0 && set.applyTogether(together)) {
      for (const row of together) decided(row);
    } else {
      failed.add(first as number);
      decided(first as number);
    }
  }
  return retry(
    set,
    [...failed].sort((a, b) => a - b),
  );
}

/** A row and all undecided rows that it waits for, directly or not, in order. */
function waitingWith(
  row: number,
  blockersOf: ReadonlyMap<number, readonly number[]>,
  isOpen: (row: number) => boolean,
): number[] {
  const found = new Set([row]);
  for (const one of found) for (const blocker of blockersOf.get(one) ?? []) if (isOpen(blocker)) found.add(blocker);
  return [...found].sort((a, b) => a - b);
}

function retry(set: RowSet, failed: readonly number[]): number[] {
  let left = failed;
  for (let before = -1; left.length !== before; ) {
    before = left.length;
    left = left.filter((row) => {
      const { isFree } = set.judge(row, () => false);
      if (isFree) set.apply(row);
      return !isFree;
    });
  }
  return [...left];
}
