/** Checks that what the snapshot of a job names is still there when the job has begun. */
import type { Db } from '../../../../db/connection.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { loadRules } from '../items/load-rules.js';
import type { ImportJob } from '../model/import-jobs.js';
import { goneFeedOf } from './feed-of-scope.js';
import { resolveSnapshot } from './resolve-snapshot.js';

/** @throws RejectedInput when what the snapshot of a job names is not there any more */
export async function requireSnapshotOfJob(db: Db, job: ImportJob, version: number): Promise<void> {
  if (job.kind !== 'item') return;
  const { snapshot, missing } = job.options;
  if (snapshot === undefined) return;
  const gone = await goneFeedOf(db, job.site_id, snapshot);
  const resolved =
    job.isAtomic && missing !== undefined ? [] : resolveSnapshot(await loadRules(db, job, version, {}), snapshot);
  const problems = [...(gone === undefined ? [] : [gone]), ...(Array.isArray(resolved) ? resolved : [])];
  if (problems.length === 0) return;
  const message = problems.map(({ path, message: why }) => `snapshot.${path}: ${why}`).join('\n');
  throw new RejectedInput('SNAPSHOT_REFUSED', message);
}
