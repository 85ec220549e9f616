/** The work that a process has done since it began. */

/** How much of something was done, and the seconds of worker slots that it took. */
export interface Done {
  readonly count: number;
  readonly seconds: number;
}

/** The work that a process has done since it began; the scaling of workers computes with it. */
export interface WorkDone {
  /** By type of job. */
  readonly rows: Readonly<Record<string, Done>>;
  readonly exports: Done;
  readonly deliveries: Done;
  /** The most connections to Postgres of the pool of its requests or steps. */
  readonly connections: number;
}

export const NOTHING: Done = { count: 0, seconds: 0 };

export function more(done: Done = NOTHING, count: number, seconds: number): Done {
  return { count: done.count + count, seconds: done.seconds + seconds };
}
