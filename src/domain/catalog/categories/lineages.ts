/** Loads the categories above categories. */
import type { Db } from '../../../../db/connection.js';
import { Category } from '../../../../db/models/category.js';

/** For each given category, the categories from the root to the category itself. */
export async function loadLineages(
  db: Db,
  siteId: number,
  categories: readonly Category[],
): Promise<readonly Category[][]> {
  const paths = categories.map(({ path }) =>
    path
      .split('/')
      .filter((part) => part !== '')
      .map(Number),
  );
  const byNodeId = new Map(categories.map((category) => [category.node_id, category]));
  const others = [...new Set(paths.flat())].filter((nodeId) => !byNodeId.has(nodeId));
  if (others.length > 0) {
    const rows = await Category.query(db).where({ site_id: siteId }).whereRaw('node_id = ANY (?)', [others]);
    for (const row of rows) byNodeId.set(row.node_id, row);
  }
  return paths.map((path) => path.map((nodeId) => byNodeId.get(nodeId)).filter((row) => row !== undefined));
}
