/** Gives jobs their places in the order of their site. */
import type { Db } from '../../../../db/connection.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { PLACED } from './site-order.js';
import type { OrderState } from './turns.js';

/** What came of giving a job its place. */
export interface Placed {
  /** False when the job was cancelled or expired meanwhile, or another has placed it. */
  readonly placed: boolean;
  /** What to enqueue once committed. */
  readonly outboxEntries: OutboxEntry[];
}

export const NOT_PLACED: Placed = { placed: false, outboxEntries: [] };

/** The plan step of a job just placed, unless it is held. */
export function planEntry(jobId: string, state: OrderState): OutboxEntry[] {
  return state === 'h' ? [] : [{ queue: 'plan', payload: { jobId, dispatch: 1 } }];
}

/** Gives jobs of one site, or of all, their places that were recorded without one. @returns what to enqueue */
export async function placeUnplaced(db: Db, siteId: number | null, limit: number): Promise<OutboxEntry[]> {
  const jobs = db('job').where({ step: 'plan' }).whereNull('line_no').whereNull('completed_at').limit(limit);
  if (siteId !== null) jobs.where({ site_id: siteId });
  const rows: { id: string }[] = await jobs.select('id');
  const outboxEntries: OutboxEntry[] = [];
  for (const { id } of rows) outboxEntries.push(...(await placeJob(db, id)).outboxEntries);
  return outboxEntries;
}

/**
 * Gives a job its place that was recorded without one. Of two who do so the second does nothing.
 * @internal exported for tests
 */
export function placeJob(db: Db, jobId: string): Promise<Placed> {
  return db.transaction(async (trx) => {
    const job = await trx('job')
      .where({ id: jobId, step: 'plan' })
      .whereNull('line_no')
      .whereNull('completed_at')
      .forNoKeyUpdate()
      .skipLocked()
      .first('site_id', 'shared');
    return job === undefined ? NOT_PLACED : place(trx, jobId, job);
  });
}

export async function place(
  trx: Db,
  jobId: string,
  { site_id: siteId, shared }: { readonly site_id: number; readonly shared: boolean },
): Promise<Placed> {
  const result = await trx.raw(
    `WITH ${PLACED}, noted AS (
       UPDATE job SET line_no = placed.position, updated_at = now() FROM placed WHERE job.id = :id
     )
     SELECT state FROM placed`,
    { id: jobId, siteId, concurrent: shared },
  );
  return { placed: true, outboxEntries: planEntry(jobId, result.rows[0].state) };
}
