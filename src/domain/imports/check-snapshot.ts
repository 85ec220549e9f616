/** Checks that what a snapshot names is there when its job is accepted. */
import type { Db } from '../../../db/connection.js';
import { loadDefinitions, presentSnapshot } from '../catalog/definition-snapshot.js';
import { DomainError } from '../kernel/errors.js';
import { ItemRules } from './items/item-rules.js';
import type { ImportOptions } from './model/import-options.js';
import { type OwnFeed, withFeed } from './snapshots/feed-of-scope.js';
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
  const message = `${first?.path}: ${first?.message}`;
  return new DomainError('invalid', 'REQUEST_INVALID', message, { problems: placed });
}
