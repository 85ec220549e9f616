/** Accepts a job that takes back what ended jobs have changed of items, of definitions and of what is around these. */
import type { Knex } from 'knex';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { jobsWithChanges } from '../changes/changes-by-item.js';
import { oldestKept } from '../changes/partitions.js';
import { type Approval, approvalOf } from '../job-model/approval.js';
import { parseJob } from '../job-model/job-type.js';
import { acceptJob } from '../jobs/accept-job.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import { IMPORT_JOBS } from './model/import-jobs.js';
import { REVERT_JOB } from './model/types/revert-job.js';
import { staysAfterRevert } from './reverts/stays-after-revert.js';

/** Of the job, and of the file with its rows. */
const TYPE = 'REVERT';

interface RevertRequest {
  /** The id of the new job: see newId. */
  readonly id: string;
  readonly requestId: string | null;
  /** Whether it only says what it would do. */
  readonly validateOnly: boolean;
  /** Whether the request asks for an approval. */
  readonly requireApproval?: boolean | undefined;
  /** The approval that it needs, which is a dry run first. */
  readonly approval?: Approval | undefined;
  readonly callbackUrl?: string | undefined;
}

/**
 * Records a job that gives all items, definitions, import profiles, settings and webhook definitions that the jobs have changed what
 * they were before them. Its rows are made when its turn has come. Call it as the last statement of `trx`, because other
 * requests of the site wait for its lock.
 * @returns what to enqueue once `trx` has committed. If it is empty, call releaseDue for the site then: see acceptJobs
 * @throws DomainError invalid DUPLICATE_JOB; not-found JOB_NOT_FOUND, JOB_OF_OTHER_STAGE; conflict JOB_NOT_ENDED; conflict NOTHING_TO_REVERT
 *   when a job has changed nothing; gone CHANGES_GONE when what it has changed is no longer kept
 */
export async function acceptRevert(
  trx: Knex.Transaction,
  { siteId, accountId, channel, traceparent, actor }: SiteContext,
  jobIds: readonly string[],
  { id, requestId, validateOnly, requireApproval, approval, callbackUrl }: RevertRequest,
): Promise<OutboxEntry[]> {
  const revertOf = await requireRevertible(trx, siteId, jobIds);
  const fileId = newId();
  await File.query(trx).insert({
    id: fileId,
    site_id: siteId,
    type: TYPE,
    name: `revert-${id}.jsonl`,
    status: 'UPLOADED',
    storage_key: `reverts/${fileId}.jsonl`,
    content_type: 'application/jsonl',
    job_id: id,
    uploaded_at: new Date(),
  });
  const asked = { validateOnly, requireApproval, approval, callbackUrl };
  const options = { mode: 'upsert', onError: 'skip', ...asked, revertOf } as const;
  const job = { id, siteId, accountId, channel, requestId, traceparent, actor, jobType: REVERT_JOB, options };
  return acceptJob(trx, { ...job, type: TYPE }, { kind: 'file', fileId });
}

/** @returns the ids of the jobs, the newest first */
async function requireRevertible(
  trx: Knex.Transaction,
  siteId: number,
  jobIds: readonly string[],
): Promise<readonly string[]> {
  const twice = jobIds.find((id, index) => jobIds.indexOf(id) !== index);
  if (twice !== undefined)
    throw new DomainError('invalid', 'DUPLICATE_JOB', `job ${twice} is named twice; name it once`);
  const rows = await Job.query(trx).findByIds(jobIds.filter(isId)).where({ site_id: siteId });
  const found = new Map(rows.map((row) => [row.id, row]));
  const lost = jobIds.filter((id) => !found.has(id));
  if (lost.length > 0) throw await notHere(trx, siteId, lost);
  const keptSince = await oldestKept(trx);
  const changing = await jobsWithChanges(trx, jobIds);
  for (const row of rows) {
    const hasChanges = changing.has(row.id);
    const [stays] = hasChanges ? [] : await staysAfterRevert(trx, [row.id]);
    requireChanges(row, keptSince, { hasChanges, stays: stays?.example });
  }
  return rows.sort((a, b) => (b.line_no ?? 0) - (a.line_no ?? 0)).map(({ id }) => id);
}

/** How many jobs a message names. */
const NAMED_JOBS = 10;

/**
 * A revert is a job of one stage, in whose order it has its place. Jobs of other stages of the account are listed by these
 * stages, so that a client with a list of jobs knows which calls it takes.
 */
async function notHere(trx: Knex.Transaction, siteId: number, lost: readonly string[]): Promise<DomainError> {
  const elsewhere: { id: string; stage: string }[] = await trx('job')
    .join('site', 'site.id', 'job.site_id')
    .whereIn('job.id', lost.filter(isId))
    .where('site.account_id', trx('site').where({ id: siteId }).select('account_id'))
    .orderBy(['site.stage', 'job.id'])
    .select('job.id', 'site.stage');
  const nowhere = lost.find((id) => !elsewhere.some((job) => job.id === id));
  if (nowhere !== undefined) {
    const message = `there is no job ${nowhere.slice(0, 60)} in this account and stage`;
    return new DomainError('not-found', 'JOB_NOT_FOUND', message);
  }
  const stages = [...new Set(elsewhere.map(({ stage }) => stage))].map((stage) => {
    const jobs = elsewhere.filter((job) => job.stage === stage).map(({ id }) => id);
    const more = jobs.length > NAMED_JOBS ? ` and ${jobs.length - NAMED_JOBS} more` : '';
    return `of the stage "${stage}": ${jobs.slice(0, NAMED_JOBS).join(', ')}${more}`;
  });
  const message = `a revert takes back jobs of one stage, that of x-site-context; take those of other stages back in a call for each: ${stages.join('; ')}`;
  return new DomainError('not-found', 'JOB_OF_OTHER_STAGE', message);
}

/** The job types that change something on their own account. */
const CHANGING: readonly string[] = ['item', 'attribute', 'category', 'revert', 'promote', 'site'];

/** Whether what it has changed is no longer kept. */
function isBefore({ started_at: startedAt, completed_at: completedAt }: Job, keptSince: Date): boolean {
  const at = startedAt ?? completedAt;
  return at !== null && at < keptSince;
}

interface KnownChanges {
  /** Whether something that it has changed is kept. */
  readonly hasChanges: boolean;
  /** What it has changed around the catalog, if nothing of that is kept. */
  readonly stays: string | undefined;
}

function requireChanges(row: Job, keptSince: Date, { hasChanges, stays }: KnownChanges): void {
  if (row.completed_at === null) {
    const message = `job ${row.id} is ${row.status}; revert it when it has ended`;
    throw new DomainError('conflict', 'JOB_NOT_ENDED', message);
  }
  if (!CHANGING.includes(row.kind))
    throw nothingToRevert(row, `is of the type ${row.type}, which changes nothing on its own account`);
  const { isDryRun } = parseJob(IMPORT_JOBS, row);
  // Nobody has sent one that did not get its approval as a dry run.
  if (isDryRun && approvalOf(row.options) === undefined)
    throw nothingToRevert(row, 'was a dry run, which has changed nothing');
  const wrote = !isDryRun && row.created_count + row.updated_count > 0;
  const changed = wrote || hasChanges || stays !== undefined;
  if (changed && isBefore(row, keptSince)) {
    const message = `what job ${row.id} has changed is no longer kept: changes are kept since ${keptSince.toISOString()}`;
    throw new DomainError('gone', 'CHANGES_GONE', message);
  }
  if (hasChanges) return;
  if (wrote && stays === undefined) {
    const why = 'it has deleted again what it had created, or ran before changes were kept';
    throw nothingToRevert(row, `has left nothing changed that is kept: ${why}`);
  }
  const what = stays === undefined ? 'nothing' : `neither items nor definitions: ${stays}`;
  throw nothingToRevert(row, `has changed ${what}`);
}

function nothingToRevert({ id }: Job, why: string): DomainError {
  return new DomainError('conflict', 'NOTHING_TO_REVERT', `there is nothing to revert: job ${id} ${why}`);
}
