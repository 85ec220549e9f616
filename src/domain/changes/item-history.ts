/** The history of one item: what changed it, newest first. */
import type { Db } from '../../../db/connection.js';
import { type EntryRow, entriesOf, entryColumns } from './change-entry.js';
import { type ChangesPage, JOB_CHANGE_CURSOR } from './job-changes.js';
import { FIELD } from './model/item-change.js';

/**
 * All changes that are kept of the items that have had this SKU. When an item was created is found by its time, which the
 * item has, and the record of its deletion: sets of created items are not searched.
 */
export async function pageItemHistory(
  db: Db,
  siteId: number,
  sku: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
): Promise<ChangesPage> {
  const [, set = String(Number.MAX_SAFE_INTEGER), n = '0'] = JOB_CHANGE_CURSOR.exec(after ?? '') ?? [];
  const { rows } = await db.raw<{ rows: EntryRow[] }>(
    `WITH own AS MATERIALIZED (
       SELECT set_id, at, n, operation, row_no, changed FROM item_change WHERE site_id = :siteId AND sku = :sku COLLATE "C"
     ), births AS MATERIALIZED (
       SELECT created_at AS at FROM item WHERE site_id = :siteId AND sku = :sku COLLATE "C"
       UNION SELECT (changed -> '${FIELD.createdAt}' ->> 'b')::timestamptz FROM own WHERE operation = 'D'
     ), entry AS (
       SELECT set.id AS set_id, set.at, place.n, 'CREATED' AS operation,
         -- Of rows that follow each other the first alone is kept.
         coalesce(set.created_rows[place.n], set.created_rows[1] + place.n - 1) AS row, '{}'::jsonb AS changed
       FROM births JOIN change_set AS set ON set.site_id = :siteId AND set.at = births.at
         AND set.created IS NOT NULL AND NOT set.preview
       CROSS JOIN LATERAL (SELECT array_position(set.created, :sku COLLATE "C") AS n OFFSET 0) AS place
       WHERE place.n IS NOT NULL
       UNION ALL
       SELECT own.set_id, own.at, coalesce(cardinality(set.created), 0) + own.n,
         CASE own.operation WHEN 'U' THEN 'UPDATED' WHEN 'D' THEN 'DELETED' ELSE 'STATUS' END, own.row_no, own.changed
       FROM own JOIN change_set AS set ON set.id = own.set_id AND set.at = own.at AND NOT set.preview
     )
     SELECT ${entryColumns(ORDER)} FROM (SELECT *, 'item' AS kind, :sku::text AS sku, NULL::jsonb AS definition FROM entry) AS entry
     JOIN change_set AS set ON set.id = entry.set_id AND set.at = entry.at
     WHERE (set.id, entry.n) < (:set, :n)
     ORDER BY ${ORDER} LIMIT :limit`,
    { siteId, sku, set: Number(set), n: Number(n), limit: limit + 1 },
  );
  const entries = entriesOf(rows.slice(0, limit));
  const last = entries.at(-1);
  return { entries, next: rows.length > limit && last !== undefined ? `${last.setId}.${last.n}` : null };
}

const ORDER = 'set.id DESC, entry.n DESC';

/** What was said when the job that has made a change was approved. */
export interface ChangeApproval {
  /** Null: the rule of the stage, because little would change. */
  readonly by: string | null;
  readonly at: string | null;
  readonly note: string | null;
}

/** @returns job → its approval; none for a job that needed none, or is not kept any more */
export async function approvalsOfChanges(
  db: Db,
  siteId: number,
  { entries }: Pick<ChangesPage, 'entries'>,
): Promise<ReadonlyMap<string | null, ChangeApproval>> {
  const ids = [...new Set(entries.flatMap(({ jobId }) => (jobId === null ? [] : [jobId])))];
  if (ids.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: (ChangeApproval & { id: string })[] }>(
    `SELECT id, approval ->> 'by' AS by, approval ->> 'at' AS at, approval ->> 'note' AS note
     FROM job, LATERAL (SELECT options -> 'approval' AS approval OFFSET 0) AS chosen
     WHERE id = ANY (:ids) AND site_id = :siteId AND approval ->> 'state' = 'approved'`,
    { ids, siteId },
  );
  return new Map(rows.map(({ id, by, at, note }) => [id, { by, at, note }]));
}
