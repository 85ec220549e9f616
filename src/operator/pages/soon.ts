const HOUR_MS = 3_600_000;

/** Until when jobs are looked for: the clock of the database may be ahead of ours. */
export function soon(now: Date): Date {
  return new Date(now.getTime() + HOUR_MS);
}
