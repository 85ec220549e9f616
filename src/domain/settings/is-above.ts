/** Whether a job makes so many changes that it waits for an approval. */
import type { Db } from '../../../db/connection.js';
import type { Approval } from '../job-model/approval.js';

/** Whether a job that waits for an approval only above a number of changes waits with so many. */
export async function isAbove(
  db: Db,
  siteId: number,
  changed: number,
  { above }: Pick<Approval, 'above'>,
): Promise<boolean> {
  if (above === undefined) return true;
  if (above.items !== undefined && changed > above.items) return true;
  if (above.percent === undefined) return false;
  const [{ count } = { count: 0 }] = await db('item').where({ site_id: siteId }).count<{ count: string | number }[]>();
  return changed * 100 > above.percent * Number(count);
}
