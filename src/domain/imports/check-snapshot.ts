/** Checks that what a snapshot names is there: when its job is accepted, and again when it has begun. */
import type { Db } from '../../../db/connection.js';
import { loadDefinitions, presentSnapshot } from '../catalog/definition-snapshot.js';
import { RejectedInput } from '../formats/model/rejected-input.js';
import { DomainError } from '../kernel/errors.js';
import { ItemRules } from './items/item-rules.js';
import { loadRules } from './items/load-rules.js';
import type { ImportJob } from './model/import-jobs.js';
import type { ImportOptions } from './model/import-options.js';
import { goneFeedOf, type OwnFeed, withFeed } from './snapshots/feed-of-scope.js';
import { snapshotProblem } from './snapshots/given-snapshot.js';
import { resolveSnapshot } from './snapshots/resolve-snapshot.js';

/** Where a snapshot stands, and whose it is. */
interface SnapshotPlace {
  /** The type of the file, or of the job of a request. */
  readonly type: string;
  /** The feed whose options it is in; absent: none. */
  readonly feed?: OwnFeed | undefined;
  /** Where it is in the request. Default: in the options. */
  readonly path?: string;
}

/**
 * @returns the options, in which a feed that is named has its id
 * @throws DomainError invalid, with a problem for each name and value that is not that of the site
 */
export async function requireSnapshot<Options extends Pick<ImportOptions, 'snapshot' | 'missing' | 'mode'>>(
  db: Db,
  siteId: number,
  { type, feed, path = 'options.snapshot' }: SnapshotPlace,
  options: Options,
): Promise<Options> {
  if (options.snapshot === undefined) return options;
  const unfit = snapshotProblem(type, options);
  if (unfit !== undefined) throw invalid(path, [{ path: '', code: 'FIELD_INVALID', message: unfit }]);
  const snapshot = await withFeed(db, siteId, options.snapshot, feed);
  if ('code' in snapshot) throw invalid(path, [snapshot]);
  // What the job creates first may be what the snapshot names.
  if (options.missing === undefined) {
    const definitions = await loadDefinitions(db, siteId, await presentSnapshot(db, siteId));
    const resolved = resolveSnapshot(new ItemRules(definitions, { decimalSeparator: '.' }), snapshot);
    if (Array.isArray(resolved)) throw invalid(path, resolved);
  }
  return { ...options, snapshot };
}

function invalid(at: string, problems: readonly { path: string; code: string; message: string }[]): DomainError {
  const placed = problems.map(({ path, ...one }) => ({ ...one, path: [at, path].filter(Boolean).join('.') }));
  const [first] = placed;
  const message = `the body is not as expected: ${first?.path}: ${first?.message}`;
  return new DomainError('invalid', 'REQUEST_INVALID', message, { problems: placed });
}

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
