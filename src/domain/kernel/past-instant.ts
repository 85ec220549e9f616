/** Compares stored times, which are finer, with times as they are shown and given: in milliseconds. */

/**
 * The upper bound of what is shown with this time or an earlier one: compare with `<`, so that indexes serve.
 * @returns ISO 8601, of the next millisecond
 */
export function pastInstant(shown: string | Date): string {
  const next = new Date(new Date(shown).getTime() + 1);
  // Postgres reads the year 10000 without a sign.
  return next.toISOString().replace(/^\+0/, '');
}
