/** Compares two stages: it reads one snapshot, keeps what differs, and writes nothing to either of them. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { FileStore } from '../../platform/file-store.js';
import type { StepPayload } from '../../queues/define-queue.js';
import { forgetPreview } from '../changes/record-changes.js';
import { type AttemptOutcome, type AttemptServices, beginAttempt, type StepAttempt } from '../jobs/attempts.js';
import { endJob } from '../jobs/end-job.js';
import { recordProgress } from '../jobs/single-step.js';
import { COMPARE_JOB, COMPARE_JOBS, type CompareJob, differencesKey } from './model/compare-job.js';
import { definitionDifferences } from './promotes/definition-differences.js';
import { differencesBetween } from './promotes/differences.js';
import { type Difference, readDifferences, writeDifferences } from './promotes/found-differences.js';
import { recordDifferences } from './promotes/record-differences.js';
import { loadStageMaps } from './promotes/stage-maps.js';

interface CompareServices extends AttemptServices {
  readonly fileStore: FileStore;
}

type CompareAttempt = StepAttempt<CompareJob>;

/** Whether a job that is read as exports are compares stages. */
export async function isComparison(db: Db, jobId: string): Promise<boolean> {
  return (await db('job').where({ id: jobId, kind: COMPARE_JOB.kind }).first('id')) !== undefined;
}

/** @param signal aborts the comparison; the next attempt removes what this one leaves in the store */
export async function runCompare(
  services: CompareServices,
  payload: StepPayload,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { fileStore } = services;
  const begun = await beginAttempt(services, COMPARE_JOBS, payload, 'export');
  if (begun.kind !== 'begun') return begun;
  const { attempt } = begun;
  const { job } = attempt;
  for (let nth = 1; nth < attempt.attempt; nth++) await fileStore.remove(differencesKey(job.id, nth));
  const key = differencesKey(job.id, attempt.attempt);
  if (!(await compare(services, attempt, key, signal))) return { kind: 'stale' };
  const ended = await record(services, attempt, key);
  if (!ended) await fileStore.remove(key);
  return { kind: ended ? 'ended' : 'stale' };
}

/** @returns false when the attempt is no longer current */
async function compare(
  { db, fileStore }: CompareServices,
  attempt: CompareAttempt,
  key: string,
  signal: AbortSignal,
): Promise<boolean> {
  let found = 0;
  const watch = attempt.watch(db, async () => ({ processedCount: found }));
  const count = () => {
    found += 1;
  };
  try {
    const signals = AbortSignal.any([signal, watch.stale]);
    await db.transaction(
      (trx) => writeDifferences(fileStore, key, counted(differences(trx, attempt.job), count), signals),
      { isolationLevel: 'repeatable read', readOnly: true },
    );
    return true;
  } catch (error) {
    if (watch.stale.aborted && !signal.aborted) return false;
    throw error;
  } finally {
    await watch.stop();
  }
}

async function* differences(
  trx: Knex.Transaction,
  { site_id: targetId, options: { sourceId } }: CompareJob,
): AsyncGenerator<Difference> {
  const stages = { sourceId, targetId };
  const maps = await loadStageMaps(trx, sourceId, targetId);
  for (const definition of await definitionDifferences(trx, stages, maps)) yield { definition };
  for await (const item of differencesBetween(trx, stages, maps)) yield { item };
}

async function* counted(all: AsyncIterable<Difference>, count: () => void): AsyncGenerator<Difference> {
  for await (const one of all) {
    count();
    yield one;
  }
}

/** Records what was found and the end of the job, in one transaction. @returns false when the attempt is no longer current */
function record({ db, fileStore }: CompareServices, attempt: CompareAttempt, key: string): Promise<boolean> {
  return withRetries(db, async (trx) => {
    if (!(await attempt.lock(trx))) return false;
    const { job } = attempt;
    await forgetPreview(trx, job.id);
    const maps = await loadStageMaps(trx, job.options.sourceId, job.site_id);
    const { created, updated } = await recordDifferences(trx, job, maps, readDifferences(fileStore, key));
    const all = { totalCount: created + updated, processedCount: created + updated };
    await recordProgress(trx, attempt, { ...all, createdCount: created, updatedCount: updated });
    await endJob(trx, job.id, { status: 'COMPLETED' });
    return true;
  });
}
