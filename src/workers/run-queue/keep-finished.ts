/** Which finished jobs a queue keeps. */

/** Finished jobs of each queue that are kept for the dashboard. */
const KEPT_JOBS = 200;
/** After so many more of them the older ones are removed, because BullMQ reads all that are kept to do it. */
const TRIMMED_AFTER = 100;

/** @returns for the end of each job, which finished ones BullMQ keeps */
export function keepFinished(): () => boolean | { count: number } {
  let ended = 0;
  // The first one removes what earlier processes have left.
  return () => ended++ % TRIMMED_AFTER === 0 && { count: KEPT_JOBS };
}
