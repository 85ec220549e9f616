/** The days of the overview: the API names only those on which something happened. */

const DAY_MS = 86_400_000;
export const SHOWN_DAYS = 14;

/** The zone in which the days of this browser begin. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The last days, today included, oldest first: `2026-11-26`. */
export function lastDays(): readonly string[] {
  const now = new Date();
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Array.from({ length: SHOWN_DAYS }, (_, nth) =>
    new Date(today - (SHOWN_DAYS - 1 - nth) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** One for each of the last days; where the API has none, `nothing`. */
export function eachDay<D extends { readonly day: string }>(
  found: readonly D[],
  nothing: Omit<D, 'day'>,
): readonly D[] {
  const known = new Map(found.map((one) => [one.day, one]));
  return lastDays().map((day) => known.get(day) ?? ({ ...nothing, day } as D));
}
