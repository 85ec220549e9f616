/** Finds the chunks of a job that are due. */
import type { Knex } from 'knex';
import { raw } from 'objection';
import { stepMark } from '../../../../db/advisory-locks.js';
import type { Db } from '../../../../db/connection.js';
import { JobChunk } from '../../../../db/models/job-chunk.js';
import type { StepPayload } from '../../../queues/define-queue.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { isCurrentToken } from '../../kernel/invariant.js';
import { passOf } from '../../outcomes/model/passes.js';

/** Payload of a step that applies one chunk. */
export interface ChunkPayload extends StepPayload {
  readonly chunk: number;
}

/**
 * Finds a chunk to apply, and behind it those that the last pass applies together with it, in order. There are none when it
 * is done, has a newer fencing token, or its job applies no chunks now.
 */
export async function findDueChunks(db: Db, job: ChunkOwner, payload: ChunkPayload): Promise<readonly JobChunk[]> {
  const chunk = await JobChunk.query(db).findById([payload.jobId, payload.chunk]);
  if (chunk === undefined || !isDue(job, chunk, payload)) return [];
  if (!passOf(chunk.wave, '').last) return [chunk];
  const { job_id, wave } = chunk;
  return [chunk, ...(await JobChunk.query(db).where({ job_id, wave, status: 'pending' }).orderBy('idx'))];
}

/**
 * Locks the chunk, if it is still due. When two workers have the same chunk, the second one finds it done or with a
 * newer fencing token.
 */
export async function lockDueChunk(trx: Knex.Transaction, payload: ChunkPayload): Promise<JobChunk | undefined> {
  const chunk = await JobChunk.query(trx)
    .findById([payload.jobId, payload.chunk])
    .select('job_chunk.*', raw(stepMark('job_chunk.job_id')))
    .forNoKeyUpdate();
  const job: ChunkOwner | undefined = await trx('job').where({ id: payload.jobId }).first('status', 'step');
  return job !== undefined && chunk !== undefined && isDue(job, chunk, payload) ? chunk : undefined;
}

type ChunkOwner = Pick<LoadedJob, 'status' | 'step'>;

function isDue({ status, step }: ChunkOwner, chunk: JobChunk, { dispatch }: ChunkPayload): boolean {
  const isCurrent = isCurrentToken(`job ${chunk.job_id}, chunk ${chunk.idx}`, dispatch, chunk.dispatch);
  return isCurrent && status === 'IN_PROGRESS' && step === 'apply' && chunk.status === 'dispatched';
}
