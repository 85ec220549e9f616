/** Medians, percentiles and spread of a few measured values. */

/** @throws when there are none */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** By linear interpolation between the nearest values. @param rank 0 to 100 @throws when there are none */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = ((sorted.length - 1) * rank) / 100;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('there is no percentile of no values');
  return below + (above - below) * (place - Math.floor(place));
}

/** How far the values lie from their median at most, as a part of it: 0.1 is ±10 %. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return Math.max(...values.map((value) => Math.abs(value - middle))) / middle;
}
