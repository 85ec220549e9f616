/** Clocks of time zones, which are slow to make and large. */

/** Each takes some 65 KB. */
const MOST_CLOCKS = 100;
const CLOCKS = new Map<string, Intl.DateTimeFormat>();
const TO_THE_SECOND = { dateStyle: 'short', timeStyle: 'medium' } as const;

/** Writes the times of a zone as its clocks show them. */
export function clockOf(timeZone: string): Intl.DateTimeFormat {
  // Upper and lower case are the same.
  const name = timeZone.toLowerCase();
  const known = CLOCKS.get(name);
  if (known !== undefined) return known;
  if (CLOCKS.size >= MOST_CLOCKS) CLOCKS.clear();
  // Swedish writes times in the order of ISO 8601.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, ...TO_THE_SECOND });
  CLOCKS.set(name, clock);
  return clock;
}
