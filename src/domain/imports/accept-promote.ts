/** Accepts jobs that compare a stage with another one, and jobs that carry over what was found. */
import type { Knex } from 'knex';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import { Site } from '../../../db/models/site.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { SiteContext } from '../access/site-context.js';
import { parseJob } from '../job-model/job-type.js';
import { acceptJob } from '../jobs/accept-job.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';
import { COMPARE_JOB, COMPARE_JOBS } from './model/compare-job.js';
import {
  type CarriedDefinition,
  type ChosenDifferences,
  PROMOTE_JOB,
  type PromoteOptions,
} from './model/promote-job.js';

/** How long the differences of a comparison can be carried over. */
const KEPT_HOURS = 24;

interface Request {
  /** The id of the new job: see newId. */
  readonly id: string;
  readonly requestId: string | null;
  readonly callbackUrl?: string | undefined;
}

/**
 * Records a job that compares the stage of the context with another one of its account. It has no place in the order of the
 * stage: other jobs do not wait for it.
 * @param stage the other stage
 * @throws DomainError invalid SAME_STAGE; not-found STAGE_NOT_FOUND
 */
export async function acceptCompare(
  trx: Knex.Transaction,
  site: SiteContext,
  stage: string,
  request: Request,
): Promise<OutboxEntry[]> {
  if (stage === site.stage) {
    const message = `"with" is the stage of x-site-context itself, "${stage}": name another one`;
    throw new DomainError('invalid', 'SAME_STAGE', message);
  }
  const source = await Site.query(trx).findOne({ account_id: site.accountId, stage }).select('id');
  if (source === undefined) {
    const message = `this account has no stage "${stage.slice(0, 60)}", or nothing was written to it yet`;
    throw new DomainError('not-found', 'STAGE_NOT_FOUND', message);
  }
  const { id, requestId, callbackUrl } = request;
  const { siteId, accountId, channel, traceparent, actor } = site;
  const identity = { id, siteId, accountId, channel, requestId, traceparent, actor };
  const options = { with: stage, sourceId: source.id, callbackUrl };
  const job = { ...identity, jobType: COMPARE_JOB, type: 'STAGE_COMPARE', options } as const;
  return acceptJob(trx, job);
}

/**
 * The options of a job that carries over what a comparison has found.
 * @throws DomainError not-found JOB_NOT_FOUND; conflict NOT_COMPARED, JOB_NOT_ENDED; gone COMPARE_EXPIRED
 */
export async function promoteOptionsOf(
  trx: Knex.Transaction,
  siteId: number,
  compareJobId: string,
  chosen: ChosenDifferences,
  definitions: CarriedDefinition,
): Promise<PromoteOptions> {
  const row = isId(compareJobId) ? await Job.query(trx).findOne({ id: compareJobId, site_id: siteId }) : undefined;
  if (row === undefined) {
    const message = `there is no job ${compareJobId.slice(0, 60)} in this account and stage`;
    throw new DomainError('not-found', 'JOB_NOT_FOUND', message);
  }
  if (row.type !== 'STAGE_COMPARE') {
    const message = `job ${row.id} is of the type ${row.type}: name a job of POST /jobs/site/actions/compare`;
    throw new DomainError('conflict', 'NOT_COMPARED', message);
  }
  if (row.completed_at === null || !row.status.startsWith('COMPLETED')) {
    const message = `job ${row.id} is ${row.status}: carry over what it found when it has ended as COMPLETED`;
    throw new DomainError('conflict', 'JOB_NOT_ENDED', message);
  }
  const old = await trx('job')
    .where({ id: row.id })
    .whereRaw('completed_at < now() - make_interval(hours => ?)', [KEPT_HOURS])
    .first('id');
  if (old !== undefined) {
    const message = `what job ${row.id} has found is older than ${KEPT_HOURS} hours; compare the stages again`;
    throw new DomainError('gone', 'COMPARE_EXPIRED', message);
  }
  const { with: stage, sourceId } = parseJob(COMPARE_JOBS, row).options;
  const fixed = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;
  return { ...fixed, with: stage, sourceId, compareOf: row.id, chosen, definitions };
}

/** Records the job. Call it as the last statement of `trx`, as acceptRevert. @param options with the approval that it needs */
export async function acceptPromote(
  trx: Knex.Transaction,
  { siteId, accountId, channel, traceparent, actor }: SiteContext,
  options: PromoteOptions,
  { id, requestId }: Request,
): Promise<OutboxEntry[]> {
  const fileId = newId();
  await File.query(trx).insert({
    id: fileId,
    site_id: siteId,
    type: 'STAGE_PROMOTE',
    name: `promote-${id}.jsonl`,
    status: 'UPLOADED',
    storage_key: `promotes/${fileId}.jsonl`,
    content_type: 'application/jsonl',
    job_id: id,
    uploaded_at: new Date(),
  });
  const job = { id, siteId, accountId, channel, requestId, traceparent, actor, jobType: PROMOTE_JOB, options };
  return acceptJob(trx, { ...job, type: 'STAGE_PROMOTE' }, { kind: 'file', fileId });
}
