/** What the rows of an archive need besides those of other imports. */
import type { Db } from '../../../../db/connection.js';
import { formatAlternatePath } from '../../catalog/categories/alternate-path.js';
import { placeIn } from '../../formats/site-archive.js';
import type { AppliedRows, RowApplier } from '../rows/row-applier.js';

/** Says where in the archive a row is that fails. */
export function namingArchiveRows<Read, Part>(applier: RowApplier<Read, Part>): RowApplier<Read, Part> {
  return {
    ...applier,
    join: undefined,
    apply: async (trx, read, context): Promise<AppliedRows> => {
      const result = await applier.apply(trx, read, context);
      const failures = result.failures.map((failure) => ({
        ...failure,
        problems: failure.problems.map((problem) => ({
          ...problem,
          message: `${placeIn('items', failure.row)}: ${problem.message}`,
        })),
      }));
      return { ...result, failures };
    },
  };
}

/** Path of each alternate category by its id: a preview's categories are undone, and have other ids when it was approved. */
export async function alternatePaths(db: Db, siteId: number): Promise<ReadonlyMap<string, string>> {
  const rows: { id: string; parent_id: string | null; name: string }[] = await db('category')
    .where({ site_id: siteId, tree: 'ALTERNATE' })
    .orderBy('depth')
    .select('id', 'parent_id', 'name');
  const names = new Map<string, readonly string[]>();
  for (const { id, parent_id: parent, name } of rows) names.set(id, [...(names.get(parent ?? '') ?? []), name]);
  return new Map([...names].map(([id, lineage]) => [id, formatAlternatePath(lineage)]));
}
