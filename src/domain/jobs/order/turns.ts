/** Decides which jobs of a site may begin. It does not read the database: callers pass the front of the queue. */

/**
 * The most jobs of one site that run at the same time: enough to keep a database busy, few enough to leave workers and
 * their memory to the jobs of other sites.
 */
export const CONCURRENT_JOBS = 4;

/**
 * q: its plan step is on the queue, or should be; h: held until others end; r: running; p: it has failed, and the jobs
 * behind it wait until the account resumes them. The last is exclusive, so that no job behind it may begin.
 */
export type OrderState = 'q' | 'h' | 'r' | 'p';

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
  /** It may be executed together with its neighbours of the site, in one transaction. */
  readonly batchable: boolean;
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

/**
 * Returns the held jobs of a front whose turn has come. A job that the batch of the one before it will execute is left to
 * that batch.
 */
export function dueOf<Entry extends FrontEntry>(front: readonly Entry[]): Entry[] {
  return front.filter((entry, index) => {
    const before = front[index - 1];
    if (entry.batchable && before !== undefined && mayJoin(before)) return false;
    return entry.state === 'h' && mayBegin(front, entry);
  });
}

/** Whether a batch may execute the job: it waits, and is small. */
function mayJoin({ batchable, state }: FrontEntry): boolean {
  return batchable && state !== 'r' && state !== 'p';
}

/**
 * Returns the jobs that may be executed in one transaction with the job at `position`, that job included, in order:
 * its batchable neighbours, as far as their turn has come together with its own. Empty when its own turn has not come.
 * Either all of the batch are concurrent, or nothing else of the site runs until it has ended.
 * @param front the first jobs of the site that have not ended, in order
 */
export function batchOf<Entry extends FrontEntry>(front: readonly Entry[], position: number): Entry[] {
  const own = front.findIndex((entry) => entry.position === position);
  if (own < 0) return [];
  const first = front.slice(0, own + 1).findLastIndex((entry) => !mayJoin(entry)) + 1;
  const joining = front.slice(first);
  const end = joining.findIndex((entry) => !mayJoin(entry));
  const batch = end < 0 ? joining : joining.slice(0, end);
  const others = front.filter((entry, index) => index < first || entry.state === 'r');
  if (others.length === 0) return own < first ? [] : batch;
  // Other jobs run or come first: only concurrent jobs may run beside them.
  if (first >= CONCURRENT_JOBS || !others.every(({ concurrent }) => concurrent)) return [];
  const exclusive = batch.findIndex(({ concurrent }) => !concurrent);
  const beside = exclusive < 0 ? batch : batch.slice(0, exclusive);
  return beside.some((entry) => entry.position === position) ? beside : [];
}
