/** Reads what others have changed of items and definitions since jobs have changed them. */
import type { Db } from '../../../db/connection.js';
import type { OwnChange } from './changes-by-item.js';

/** A change of an item that somebody else has made. */
export interface OtherChange extends OwnChange {
  readonly operation: 'U' | 'D';
  /** Null: a request that is no job. */
  readonly jobId: string | null;
}

/** Since when changes of an item are wanted: after the set with this id. */
export interface ChangedItem {
  readonly sku: string;
  readonly afterSet: number;
}

/**
 * The updates and deletions of items by others than these jobs, by SKU and in order. An item without any is not among them.
 * @param since none of the wanted changes is older, give or take a day
 */
export async function changesByOthers(
  db: Db,
  siteId: number,
  items: readonly ChangedItem[],
  jobIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, readonly OtherChange[]>> {
  const { rows } = await db.raw<{ rows: Omit<OtherChange, 'jobId'>[] }>(
    `SELECT change.* FROM jsonb_to_recordset(:items::jsonb) AS wanted (sku text, "afterSet" bigint)
     CROSS JOIN LATERAL (
       SELECT sku, set_id AS "setId", at, operation::text AS operation, changed FROM item_change
       WHERE site_id = :siteId AND sku = wanted.sku COLLATE "C" AND set_id > wanted."afterSet"
         AND at > :since::timestamptz - interval '1 day' AND operation IN ('U', 'D') OFFSET 0) AS change
     ORDER BY sku, "setId"`,
    { siteId, items: JSON.stringify(items), since: since.toISOString() },
  );
  const jobs = await jobsOfSets(db, new Set(rows.map(({ setId }) => setId)), since);
  const found = new Map<string, OtherChange[]>();
  for (const change of rows) {
    const jobId = jobs.get(change.setId);
    if (jobId === undefined || (jobId !== null && jobIds.includes(jobId))) continue;
    const others = found.get(change.sku);
    if (others === undefined) found.set(change.sku, [{ ...change, jobId }]);
    else others.push({ ...change, jobId });
  }
  return found;
}

/** Set → its job, without previews. */
async function jobsOfSets(db: Db, ids: ReadonlySet<number>, since: Date): Promise<Map<number, string | null>> {
  if (ids.size === 0) return new Map();
  const { rows } = await db.raw<{ rows: { id: number; job_id: string | null }[] }>(
    `SELECT id, job_id FROM change_set
     WHERE id = ANY (:ids) AND at > :since::timestamptz - interval '1 day' AND NOT preview`,
    { ids: [...ids], since: since.toISOString() },
  );
  return new Map(rows.map(({ id, job_id: jobId }) => [id, jobId]));
}

/** Who has last changed a definition. */
export interface DefinitionChanger {
  /** Null: a request that is no job. */
  readonly jobId: string | null;
}

/**
 * Who has changed definitions after a time, but for these jobs: the last of them for each `kind key`.
 * @param since none of the wanted changes is older
 */
export async function definitionChangers(
  db: Db,
  siteId: number,
  definitions: readonly { readonly kind: string; readonly key: string }[],
  jobIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, DefinitionChanger>> {
  if (definitions.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { kind: string; key: string; jobId: string | null }[] }>(
    `SELECT change.kind, change.key, set.job_id AS "jobId"
     FROM definition_change AS change JOIN change_set AS set ON set.id = change.set_id AND set.at = change.at
     WHERE change.site_id = :siteId AND change.key = ANY (:keys) AND change.at >= :since AND NOT set.preview
       AND (set.job_id IS NULL OR set.job_id <> ALL (:jobIds))
     ORDER BY set.id, change.n`,
    { siteId, keys: definitions.map(({ key }) => key), since, jobIds: [...jobIds] },
  );
  return new Map(rows.map(({ kind, key, jobId }) => [`${kind} ${key}`, { jobId }]));
}
