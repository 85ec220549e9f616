/** Decides whose turn it is in a site's order. Knows no database: it is given the front of the order. */

/**
 * Jobs of one site that run beside each other: enough to keep a database busy, few enough to leave workers, and their
 * memory, to the jobs of other sites.
 */
export const CONCURRENT_JOBS = 4;

/** q: its plan step is on the queue, or should be; h: held until others end; r: running. */
export type OrderState = 'q' | 'h' | 'r';

/** What of a job decides its turn. */
export interface Place {
  /** Position in the site's order: given at acceptance, each higher than all before it. */
  readonly position: number;
  /** May run beside other concurrent jobs; all others are exclusive. */
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
 * Whether a job may begin: it waits for those accepted earlier and for those already running, unless both are
 * concurrent and not too many run.
 * @param front the first CONCURRENT_JOBS jobs of the site that have not ended, in order. A job begins only from the
 *   front and what is ahead of it only becomes less, so all that run are in it
 */
export function mayBegin(front: readonly FrontEntry[], { position, concurrent }: Place): boolean {
  const ahead = front.filter((other) => other.position < position);
  if (ahead.length >= CONCURRENT_JOBS) return false;
  const inTheWay = front.filter(
    (other) => other.position !== position && (other.position < position || other.state === 'r'),
  );
  return concurrent ? inTheWay.every((other) => other.concurrent) : inTheWay.length === 0;
}

/** The held jobs of a front whose turn has come. */
export function dueOf<Entry extends FrontEntry>(front: readonly Entry[]): Entry[] {
  return front.filter((entry) => entry.state === 'h' && mayBegin(front, entry));
}
