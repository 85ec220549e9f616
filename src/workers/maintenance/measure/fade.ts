/** Averages over time, in which what is older counts less. */

/** The time over which rates are averaged. */
export const RECENT_SECONDS = 60;

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** An average in which what is older counts less. @param over the time after which it counts about a third */
export function fade(seconds: number, over: number): number {
  return Math.exp(-seconds / over);
}
