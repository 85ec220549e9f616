/** Decides which jobs of a site may begin. It does not read the database: callers pass the front of the queue. */

/**
 * The most jobs of one site that run at the same time: enough to keep a database busy, few enough to leave workers and
 * their memory to the jobs of other sites.
 */
export const CONCURRENT_JOBS = 4;

/** q: its plan step is on the queue, or should be; h: held until others end; r: running. */
export type OrderState = 'q' | 'h' | 'r';

/** The facts that decide a job's turn. */
export interface Place {
  /** Position in the ordering queue of the site: assigned at acceptance, higher than all earlier ones. */
  readonly position: number;
  /** The job may run at the same time as other concurrent jobs; if false, it is exclusive. */
  readonly concurrent: boolean;
}

/** A job of the front: one of the first CONCURRENT_JOBS of its site that have not ended. */
export interface FrontEntry extends Place {
  readonly jobId: string;
  readonly state: OrderState;
  /** Fencing token of its plan step. */
  readonly dispatch: number;
}

/**
 * Whether a job may begin: it waits for jobs accepted earlier and for running jobs, unless both are concurrent and not
 * too many run.
 * @param front the first CONCURRENT_JOBS jobs of the site that have not ended, in order. A job begins only from the
 *   front, and the number of jobs ahead of it only decreases, so all running jobs are in the front
 */
export function mayBegin(front: readonly FrontEntry[], { position, concurrent }: Place): boolean {
  const ahead = front.filter((other) => other.position < position);
  if (ahead.length >= CONCURRENT_JOBS) return false;
  const blocking = front.filter(
    (other) => other.position !== position && (other.position < position || other.state === 'r'),
  );
  return concurrent ? blocking.every((other) => other.concurrent) : blocking.length === 0;
}

/** Returns the held jobs of a front whose turn has come. */
export function dueOf<Entry extends FrontEntry>(front: readonly Entry[]): Entry[] {
  return front.filter((entry) => entry.state === 'h' && mayBegin(front, entry));
}
