/** Approves and rejects jobs that wait for it after their preview. An approved job begins again, at the end of the order. */
import type { Knex } from 'knex';
import { Job, type JobRow } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { type Approval, approvalOf } from '../job-model/approval.js';
import { storable } from '../kernel/characters.js';
import { DomainError } from '../kernel/errors.js';
import { beginAgain } from './begin-again.js';
import { endJob } from './end-job.js';
import { recordNothingWritten } from './ends/nothing-written.js';
import { dropRemovals, NOTHING_REMOVED, SNAPSHOT_BRAKE } from './ends/waiting-removals.js';

/** The reason of a job that somebody has rejected. */
const NOT_APPROVED = 'NOT_APPROVED';

/** Who decides, and what about. */
interface Decision {
  readonly siteId: number;
  readonly jobId: string;
  /** "token:5f…"; null: not known. */
  readonly actor: string | null;
  /** The client to which the token was granted; undefined: to none. */
  readonly client?: string | undefined;
  readonly note?: string | undefined;
  /** How long a job waits for an approval. */
  readonly hours: number;
}

/**
 * Approves a job: it gets a place at the end of the order of its site, as a file whose upload is complete. Call it as the
 * last statement of `trx`: see acceptJobs.
 * @param allowsOwn whether the site lets who has created a job approve it, as it is now
 * @returns what to enqueue once `trx` has committed; if it is empty, call releaseDue for the site then
 * @throws DomainError not-found; conflict JOB_NOT_WAITING when it does not wait for an approval; gone APPROVAL_EXPIRED;
 *   forbidden OWN_JOB when the actor has created the job
 */
export async function approveJob(
  trx: Knex.Transaction,
  decision: Decision,
  allowsOwn: boolean,
): Promise<OutboxEntry[]> {
  const { row, approval } = await lockWaiting(trx, decision);
  if (!allowsOwn && isOwn(row, approval, decision)) {
    const message =
      'the token that has created a job may not approve it, nor another token of the same client; use another one, or allow it by approval.allowOwn in the site settings';
    throw new DomainError('forbidden', 'OWN_JOB', message);
  }
  const { above: _, state: __, ...kept } = approval;
  return beginAgain(trx, row, { ...kept, ...decidedBy(decision) });
}

/** What is kept of a decision. */
function decidedBy({ actor, note }: Decision): Pick<Approval, 'by' | 'at' | 'note'> {
  return { ...(actor === null ? {} : { by: actor }), at: new Date().toISOString(), ...(note ? { note } : {}) };
}

/** Whether the job was created by who decides about it. */
function isOwn({ actor }: JobRow, approval: Approval, decision: Decision): boolean {
  if (decision.actor === null || actor === decision.actor) return true;
  return decision.client !== undefined && approval.client === decision.client;
}

/**
 * Ends a job that waits for an approval as REJECTED: nothing of it is written. One whose rows were applied ends as
 * COMPLETED_PARTIALLY, without its removals. Its own creator may do so.
 * @throws DomainError like approveJob
 */
export async function rejectJob(trx: Knex.Transaction, decision: Decision): Promise<void> {
  const { row, approval } = await lockWaiting(trx, decision);
  const options = { ...Object(row.options), approval: { ...approval, ...decidedBy(decision) } };
  await trx('job')
    .where({ id: row.id })
    .update({ options: JSON.stringify(options) });
  const why = decision.note ? `: ${storable(decision.note, 500)}` : '';
  if (approval.only !== undefined) {
    await dropRemovals(trx, [row.id]);
    const statusMessage = `not approved${why}; ${NOTHING_REMOVED}`;
    return endJob(trx, row.id, { status: 'COMPLETED_PARTIALLY', reason: SNAPSHOT_BRAKE, statusMessage });
  }
  const statusMessage = `not approved${why}; nothing was written`;
  await trx('preview_row').where({ job_id: row.id }).delete();
  await recordNothingWritten(trx, [row.id]);
  await endJob(trx, row.id, { status: 'REJECTED', reason: NOT_APPROVED, statusMessage });
}

async function lockWaiting(
  trx: Knex.Transaction,
  { siteId, jobId, hours }: Decision,
): Promise<{ row: JobRow; approval: Approval }> {
  const row = await Job.query(trx).findById(jobId).where({ site_id: siteId }).forNoKeyUpdate();
  if (row === undefined) throw new DomainError('not-found', 'JOB_NOT_FOUND', `there is no job ${jobId}`);
  const approval = approvalOf(row.options);
  // Housekeeping, which ends it, comes every few minutes.
  const isLate = row.status === 'AWAITING_APPROVAL' && (await isOlderThan(trx, jobId, hours));
  if (row.status === 'AWAITING_APPROVAL' && approval !== undefined && !isLate) return { row, approval };
  if (isLate || row.status === 'EXPIRED') {
    const rest = approval?.only === undefined ? '' : '; its rows were applied, and nothing is removed';
    throw new DomainError('gone', 'APPROVAL_EXPIRED', `the job has expired${rest}; send its rows or its file again`);
  }
  const needs = approval === undefined ? 'and needs no approval' : 'and does not wait for an approval';
  // It says itself why it waits no longer, as when a newer file has ended it.
  const why = approval?.only === undefined || row.completed_at === null ? '' : `: ${row.status_message ?? ''}`;
  throw new DomainError('conflict', 'JOB_NOT_WAITING', `the job is ${row.status}, ${needs}${why}`);
}

/** Whether a job waits for longer than so many hours, by the clock of the database. */
async function isOlderThan(trx: Knex.Transaction, jobId: string, hours: number): Promise<boolean> {
  const late = await trx('job')
    .where({ id: jobId })
    .whereRaw("updated_at < now() - ? * interval '1 hour'", [hours])
    .first('id');
  return late !== undefined;
}
