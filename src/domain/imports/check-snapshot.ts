/** Checks that what a snapshot names is there: when its job is accepted, and again when it has begun. */
import type { Db } from '../../../db/connection.js';
import { loadDefinitions, presentSnapshot } from '../catalog/definition-snapshot.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { DomainError } from '../kernel/errors.js';
import { ItemRules } from './items/item-rules.js';
import { loadRules } from './items/load-rules.js';
import type { ImportJob } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import { snapshotProblem } from './snapshots/given-snapshot.js';
import { resolveSnapshot } from './snapshots/resolve-snapshot.js';

/** @throws DomainError invalid, with a problem for each name and value that is not that of the site */
export async function requireSnapshot(
  db: Db,
  siteId: number,
  fileType: string,
  options: Pick<ImportOptions, 'snapshot' | 'missing' | 'mode'>,
): Promise<void> {
  const { snapshot, missing } = options;
  if (snapshot === undefined) return;
  const unfit = snapshotProblem(fileType, options);
  if (unfit !== undefined) throw invalid([{ path: '', code: 'FIELD_INVALID', message: unfit }]);
  // What the job creates first may be what the snapshot names.
  if (missing !== undefined) return;
  const definitions = await loadDefinitions(db, siteId, await presentSnapshot(db, siteId));
  const resolved = resolveSnapshot(new ItemRules(definitions, { decimalSeparator: '.' }), snapshot);
  if (Array.isArray(resolved)) throw invalid(resolved);
}

function invalid(problems: readonly { path: string; code: string; message: string }[]): DomainError {
  const placed = problems.map(({ path, ...one }) => ({
    ...one,
    path: ['options.snapshot', path].filter(Boolean).join('.'),
  }));
  const [first] = placed;
  const message = `the body is not as expected: ${first?.path}: ${first?.message}`;
  return new DomainError('invalid', 'REQUEST_INVALID', message, { problems: placed });
}

/** @throws RejectedInput when what the snapshot of a job names is not there any more */
export async function requireSnapshotOfJob(db: Db, job: ImportJob, version: number): Promise<void> {
  if (job.kind !== 'item') return;
  const { snapshot, missing } = job.options;
  if (snapshot === undefined || (job.isAtomic && missing !== undefined)) return;
  const resolved = resolveSnapshot(await loadRules(db, job, version, {}), snapshot);
  if (!Array.isArray(resolved)) return;
  const message = resolved.map(({ path, message: why }) => `snapshot.${path}: ${why}`).join('\n');
  throw new RejectedInput('SNAPSHOT_REFUSED', message);
}
