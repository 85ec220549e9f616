/** What a job has changed around the catalog, as entries among its other changes. */
import type { Db } from '../../../db/connection.js';
import type { ChangeEntry, ChangeFilter } from './change-entry.js';
import { isShown } from './model/is-shown.js';
import { SURROUNDING_KINDS, type SurroundingKind } from './model/surrounding-image.js';

type Entry = Pick<ChangeEntry, 'n' | 'at' | 'actor' | 'kind' | 'operation' | 'definition'>;

/** In the order in which they were made; those of one transaction by kind and name. @param after the place of an entry: only those after it are read */
export async function surroundingEntries(
  db: Db,
  jobId: string,
  { surroundings = [], operations, attributes, sku }: ChangeFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ChangeEntry[]> {
  if (surroundings.length === 0 || attributes !== undefined || sku !== undefined) return [];
  const { rows } = await db.raw<{ rows: Entry[] }>(
    `SELECT * FROM (
       SELECT row_number() OVER (ORDER BY change.at, change.kind, ${NAME}, change.id)::integer AS n, change.at, job.actor, change.kind,
         ${OPERATION} AS operation,
         jsonb_build_object('key', change.key, 'before', change.before, 'after', change.after) AS definition
       FROM surrounding_change AS change LEFT JOIN job ON job.id = change.job_id WHERE change.job_id = :jobId
         AND ${isShown('change')}) AS entry
     WHERE kind = ANY (:kinds::text[]) AND (:operations::text[] IS NULL OR operation = ANY (:operations::text[]))
       AND n > :after ORDER BY n LIMIT :limit`,
    { jobId, kinds: [...surroundings], operations: operations === undefined ? null : [...operations], after, limit },
  );
  return rows.map((row) => ({ ...row, setId: 0, position: null, jobId, row: null, sku: '', changed: {} }));
}

interface ChangedSurroundings {
  readonly kind: SurroundingKind;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** How many a job has changed. Kinds of which none was changed are left out. */
export async function countSurroundings(
  db: Db,
  jobId: string,
  kinds: readonly SurroundingKind[],
): Promise<ChangedSurroundings[]> {
  const { rows } = await db.raw<{ rows: ChangedSurroundings[] }>(
    `SELECT kind, (count(*) FILTER (WHERE operation = 'CREATED'))::integer AS created,
       (count(*) FILTER (WHERE operation = 'UPDATED'))::integer AS updated,
       (count(*) FILTER (WHERE operation = 'DELETED'))::integer AS deleted
     FROM (SELECT change.kind, ${OPERATION} AS operation FROM surrounding_change AS change
       WHERE change.job_id = :jobId AND ${isShown('change')} AND change.kind = ANY (:kinds::text[])) AS changed
     GROUP BY kind ORDER BY kind`,
    { jobId, kinds: [...kinds] },
  );
  return rows;
}

/** Whether it is around the catalog, and no definition of it. */
export function isSurrounding(kind: string): kind is SurroundingKind {
  return (SURROUNDING_KINDS as readonly string[]).includes(kind);
}

/** SQL */
const OPERATION =
  "CASE WHEN change.before IS NULL THEN 'CREATED' WHEN change.after IS NULL THEN 'DELETED' ELSE 'UPDATED' END";

/** SQL: what people call it. Ids of what a preview creates are not those that it gets. */
const NAME =
  "coalesce(change.after ->> 'name', change.before ->> 'name', change.after ->> 'target', change.before ->> 'target') COLLATE \"C\"";
