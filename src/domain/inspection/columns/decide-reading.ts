/** Decides between readings by how many cells each of them fits. */

/** A reading that fits so much less than the best is no rival: some cells of every file are wrong. */
const RIVAL_WITHIN = 0.05;
/** A reading that fits fewer cells is none. */
const LEAST_FIT = 0.85;
const CERTAIN_FIT = 0.95;

export interface Decision<Reading> {
  /** The readings between which the cells do not decide, the best first; one: it is decided; none: no reading fits. */
  readonly readings: readonly Reading[];
  readonly isCertain: boolean;
}

/**
 * @param total how many cells have something to say
 * @param fits how many of them each reading fits
 */
export function decideReading<Reading>(
  total: number,
  fits: readonly (readonly [Reading, number])[],
): Decision<Reading> {
  const ordered = fits.toSorted(([, a], [, b]) => b - a);
  const best = ordered[0]?.[1] ?? 0;
  if (total === 0 || best < total * LEAST_FIT) return { readings: [], isCertain: false };
  const within = ordered.filter(
    ([, fit]) => fit === best || (fit >= total * LEAST_FIT && fit > best - total * RIVAL_WITHIN),
  );
  const readings = within.map(([reading]) => reading);
  return { readings, isCertain: readings.length === 1 && best >= total * CERTAIN_FIT };
}
