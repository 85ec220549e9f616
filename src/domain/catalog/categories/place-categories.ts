/** What people call categories that are known by their ids: the names from the root down. */
import type { Db } from '../../../../db/connection.js';
import { PRIMARY_ROOT_NAME } from './category-name.js';
import { formatPath, parsePath } from './category-path.js';

/** Where a category is. */
export interface Place {
  readonly name: string;
  readonly parentId: string | null;
  /** The path of a parent that is not there; absent: its id stands for it. */
  readonly parentPath?: string | undefined;
}

/** The categories with these ids, and all above them. */
export async function loadPlaces(db: Db, siteId: number, ids: ReadonlySet<string>): Promise<Map<string, Place>> {
  if (ids.size === 0) return new Map();
  const { rows } = await db.raw<{ rows: { id: string; name: string; parentId: string | null }[] }>(
    `WITH RECURSIVE up AS (
       SELECT id, name, parent_id FROM category WHERE site_id = :siteId AND id = ANY (:ids)
       UNION SELECT above.id, above.name, above.parent_id FROM up JOIN category AS above ON above.id = up.parent_id
     ) SELECT id, name, parent_id AS "parentId" FROM up`,
    { siteId, ids: [...ids] },
  );
  return new Map(rows.map(({ id, ...place }) => [id, place]));
}

/** The names from the root down, without that of the primary root. */
export function placePath(id: string, places: ReadonlyMap<string, Place>): string {
  const names: string[] = [];
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && !seen.has(at); ) {
    seen.add(at);
    const place = places.get(at);
    names.unshift(place?.name ?? at);
    const above: string | null = place?.parentId ?? null;
    if (above !== null && !places.has(above) && place?.parentPath !== undefined) {
      names.unshift(...parsePath(place.parentPath));
      break;
    }
    at = above;
  }
  return formatPath(names.length > 1 && names[0] === PRIMARY_ROOT_NAME ? names.slice(1) : names);
}
