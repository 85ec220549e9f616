/**
 * Finds jobs that have not ended and that nothing refers to: no place in the order of their site, no step that is due, no
 * upload. Nobody would ever execute them. No transaction of this release leaves such a job, but a process of another
 * release may, or a mistake.
 *
 * It looks at pages of the primary key, which follows the time of acceptance: so acceptance pays for no further index,
 * and what one call reads does not grow with the table.
 */
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { firstIdOf } from '../../kernel/identifier.js';
import { scheduleFileJob } from '../accept-job.js';
import { placeJob } from '../order/place.js';
import { removeEnded } from '../order/sweep.js';

/** Jobs of one page. */
const PAGE = 500;
/** Behind every id. */
const LAST = 'g';

/**
 * What is missing. `place`: it waits, but not in the order of its site. `due`: its step is not due at any time. `upload`: its
 * file was uploaded, and it still waits for that. `unknown`: it has no step, and it is not known which it needs.
 */
type Missing = 'place' | 'due' | 'upload' | 'unknown';

interface UnreferredJob {
  readonly id: string;
  readonly siteId: number;
  readonly position: number | null;
  readonly missing: Missing;
}

interface Page {
  readonly found: readonly UnreferredJob[];
  /** The next page begins before it; null: this was the last one. */
  readonly next: string | null;
}

/** Reads a page of the jobs before an id, the newest first. Jobs that were changed in the last `graceMs` are left out. */
async function readPage(db: Db, before: string, graceMs: number): Promise<Page> {
  const result = await db.raw<{ rows: [{ last: string | null; found: UnreferredJob[] | null }] }>(
    `WITH page AS MATERIALIZED (
       SELECT id, site_id, line_no, status, step, dispatched_at, completed_at, updated_at, input_file_id FROM job
       WHERE id < :before COLLATE "C" ORDER BY id DESC LIMIT ${PAGE}
     ), judged AS (
       SELECT page.id, page.site_id, page.line_no, CASE
         WHEN step = 'plan' AND line_no IS NOT NULL AND (place.state IS NULL OR place.state = 'e') THEN 'place'
         WHEN step IN ('apply-all', 'finish') AND page.dispatched_at IS NULL THEN 'due'
         WHEN step IS NULL AND page.status = 'AWAITING_UPLOAD' AND file.status = 'UPLOADED' THEN 'upload'
         WHEN step IS NULL AND page.status = 'AWAITING_PROFILE' AND file.status = 'UPLOADED' THEN NULL
         WHEN step IS NULL AND page.status = 'AWAITING_APPROVAL' THEN NULL
         WHEN step IS NULL AND (page.status <> 'AWAITING_UPLOAD' OR coalesce(file.status, '') <> 'AWAITING_UPLOAD')
           THEN 'unknown'
         END AS missing
       FROM page
       LEFT JOIN LATERAL (
         SELECT state FROM job_order
         WHERE job_order.site_id = page.site_id AND position = page.line_no AND job_id = page.id
           AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = page.site_id), 0)
         LIMIT 1) AS place ON true
       LEFT JOIN LATERAL (SELECT status FROM file WHERE file.id = page.input_file_id LIMIT 1) AS file ON true
       WHERE page.completed_at IS NULL AND page.updated_at < now() - :graceMs * interval '1 millisecond'
     )
     SELECT (SELECT CASE WHEN count(*) = ${PAGE} THEN min(id) END FROM page) AS last,
       (SELECT json_agg(json_build_object('id', id, 'siteId', site_id, 'position', line_no, 'missing', missing)
          ORDER BY line_no, id) FROM judged WHERE missing IS NOT NULL) AS found`,
    { before, graceMs },
  );
  const [{ last, found }] = result.rows;
  return { found: found ?? [], next: last };
}

/** Looks at all jobs, the newest first, for as long as the caller goes on: for a person who asks. */
export async function* allUnreferredJobs(db: Db, graceMs: number): AsyncGenerator<readonly UnreferredJob[]> {
  for (let before: string | null = LAST; before !== null; ) {
    const page: Page = await readPage(db, before, graceMs);
    before = page.next;
    yield page.found;
  }
}

/** Looks for them a page at a time, and gives them what they lack. Keeps where it stopped, and what nobody could repair. */
export class UnreferredJobs {
  /** The next page of the round through the table begins before it. */
  #before = LAST;
  /** Jobs that nothing refers to and that could not be repaired, as of the last look at them. */
  readonly #left = new Map<string, UnreferredJob>();

  /** The ids of the jobs that could not be repaired. */
  get left(): readonly string[] {
    return [...this.#left.keys()];
  }

  /** Looks at the newest jobs, where mistakes begin, and at the next page of all. */
  async next(db: Db, graceMs: number): Promise<{ readonly repairable: UnreferredJob[]; readonly reported: string[] }> {
    // The clocks of processes and database may differ: what is too young for the one is left out by the other.
    const newest = await readPage(db, firstIdOf(new Date(Date.now() - graceMs + 1_000)), graceMs);
    const page = await readPage(db, this.#before, graceMs);
    const known = new Set(this.#left.keys());
    for (const id of known) {
      // It has been looked at again: it is found again, or it has ended.
      if (id < this.#before && (page.next === null || id >= page.next)) this.#left.delete(id);
    }
    this.#before = page.next ?? LAST;
    const found = new Map([...newest.found, ...page.found].map((job) => [job.id, job]));
    const reported: string[] = [];
    for (const job of found.values()) {
      if (job.missing !== 'unknown') continue;
      if (!known.has(job.id)) reported.push(job.id);
      this.#left.set(job.id, job);
    }
    return { repairable: [...found.values()].filter(({ missing }) => missing !== 'unknown'), reported };
  }

  /** Gives a job what it lacks, unless it has changed meanwhile. @returns what to enqueue; null: there was nothing to do */
  async repair(db: Db, job: UnreferredJob): Promise<readonly OutboxEntry[] | null> {
    if (job.missing === 'upload') {
      const { placed, outboxEntries } = await db.transaction((trx) => scheduleFileJob(trx, job.id));
      return placed ? outboxEntries : null;
    }
    if (job.missing === 'due') {
      const due = await db('job')
        .where({ id: job.id })
        .whereIn('step', ['apply-all', 'finish'])
        .whereNull('dispatched_at')
        .whereNull('completed_at')
        .update({ dispatch: db.raw('dispatch + 1'), dispatched_at: db.fn.now() })
        .returning(['step', 'dispatch']);
      return due.length === 0
        ? null
        : due.map(({ step, dispatch }) => ({ queue: step, payload: { jobId: job.id, dispatch } }));
    }
    const { id, siteId, position } = job;
    if (job.missing !== 'place' || position === null) return null;
    const isFree = await db.transaction(async (trx) => {
      const freed = await trx('job')
        .where({ id, step: 'plan', line_no: position })
        .whereNull('completed_at')
        .update({ line_no: null, dispatched_at: null, dispatch: trx.raw('dispatch + 1'), updated_at: trx.fn.now() });
      // A row that is behind the floor of its site is never read again.
      if (freed > 0) await removeEnded(trx, siteId, [position]);
      return freed > 0;
    });
    // From here on it is like every job that was recorded without a place.
    return isFree ? (await placeJob(db, id)).outboxEntries : null;
  }
}
