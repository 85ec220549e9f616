/** The names by which the change log knows attributes that may be gone. */
import type { Db } from '../../../db/connection.js';

interface LoggedAttribute {
  readonly id: string;
  /** One that it had before or after a change, or would have had after one that was previewed. */
  readonly name: string;
}

/** The attributes of a site whose definition has changed, each with every name that it had. */
export async function loggedAttributeNames(db: Db, siteId: number): Promise<LoggedAttribute[]> {
  const { rows } = await db.raw<{ rows: LoggedAttribute[] }>(
    `SELECT DISTINCT change.key AS id, image.one ->> 'name' AS name
     FROM definition_change AS change CROSS JOIN LATERAL (VALUES (change.before), (change.after)) AS image (one)
     WHERE change.site_id = ? AND change.kind = 'attribute' AND image.one ->> 'name' IS NOT NULL`,
    [siteId],
  );
  return rows;
}
