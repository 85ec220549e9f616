/** Pages what a job has changed, or what a dry run would have changed. */
import type { Db } from '../../../db/connection.js';
import {
  type ChangeEntry,
  type ChangeFilter,
  type EntryRow,
  entriesAfter,
  entriesOf,
  entryColumns,
  isWanted,
} from './change-entry.js';
import { isShown } from './model/is-shown.js';
import { surroundingEntries } from './surrounding-entries.js';

export interface ChangesPage {
  readonly entries: readonly ChangeEntry[];
  /** The value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** A cursor between two entries of a job: the id of a set and a place in it; 0 and a place for what is around the catalog. */
export const JOB_CHANGE_CURSOR = /^(\d{1,15})\.(\d{1,9})$/;

/**
 * What is around the catalog comes first, then all else in the order in which it was made. Changes of one set are of different items,
 * except for a status that follows from another change.
 * @param after a cursor: only entries after it are read
 */
export async function pageJobChanges(
  db: Db,
  jobId: string,
  filter: ChangeFilter,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<ChangesPage> {
  const [, set = '0', n = '0'] = JOB_CHANGE_CURSOR.exec(after ?? '') ?? [];
  const around =
    Number(set) === 0 ? await surroundingEntries(db, jobId, filter, { after: Number(n), limit: limit + 1 }) : [];
  const missing = limit + 1 - around.length;
  const { sql, isAll, bindings } = isWanted(filter);
  const { rows } =
    missing === 0 || filter.kinds?.length === 0
      ? { rows: [] }
      : await db.raw<{ rows: EntryRow[] }>(
          `SELECT ${entryColumns(ORDER)} FROM change_set AS set CROSS JOIN LATERAL ${entriesAfter(PLACE, isAll ? ':limit' : undefined, filter.kinds)} AS entry
     WHERE set.job_id = :jobId AND ${isShown('set')} AND set.id >= :set AND ${sql}
     ORDER BY ${ORDER} LIMIT :limit`,
          { jobId, set: Number(set), n: Number(n), limit: missing, ...bindings },
        );
  const all = [...around, ...entriesOf(rows)];
  const entries = all.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: all.length > limit && last !== undefined ? `${last.setId}.${last.n}` : null };
}

/** How many values a job has changed: each attribute and field of an item counts, and a created item as one. */
export async function countJobChanges(db: Db, jobId: string, filter: ChangeFilter): Promise<number> {
  const { sql, bindings } = isWanted(filter);
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `SELECT coalesce(sum(greatest(1, (SELECT count(*) FROM jsonb_object_keys(entry.changed)))), 0)::integer AS count
     FROM change_set AS set CROSS JOIN LATERAL ${entriesAfter('0')} AS entry WHERE set.job_id = :jobId AND ${isShown('set')} AND ${sql}`,
    { jobId, ...bindings },
  );
  return rows[0]?.count ?? 0;
}

/** SQL: after which place of a set the wanted entries stand. */
const PLACE = '(CASE WHEN set.id = :set THEN :n::integer ELSE 0 END)';
const ORDER = 'set.id, entry.n';
