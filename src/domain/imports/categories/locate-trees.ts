/** Looks up which nodes of the trees exist: one level at a time. */
import type { Db } from '../../../../db/connection.js';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import type { CategoryPlace } from '../../catalog/categories/category-input.js';
import { type CategoryReference, MAX_NODE_ID } from '../../catalog/categories/find-category.js';
import { loadLineages } from '../../catalog/categories/lineages.js';
import type { CategoryNode, CategoryTrees } from './category-trees.js';

/** How many nodes one statement looks up, so that its parameter stays small. */
const NODES_PER_STATEMENT = 5_000;

/** Sets `stored` of every node that exists. @param withAssignments whether to look up their assignments too */
export async function locateTrees(
  db: Db,
  siteId: number,
  trees: CategoryTrees,
  withAssignments = false,
): Promise<void> {
  const texts = new Map<string, string>();
  const intern = (text: string): string => {
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return known ?? text;
  };
  for (const [depth, level] of trees.levels.entries()) {
    // A category whose parent does not exist cannot exist either.
    const nodes = depth === 0 ? level : level.filter(({ parent }) => parent?.stored);
    for (let start = 0; start < nodes.length; start += NODES_PER_STATEMENT) {
      const some = nodes.slice(start, start + NODES_PER_STATEMENT);
      await locate(db, siteId, some, { roots: depth === 0, withAssignments, intern });
    }
  }
}

interface Locating {
  readonly roots: boolean;
  readonly withAssignments: boolean;
  /** Returns one copy for equal texts. */
  readonly intern: (text: string) => string;
}

/** SQL: the assignments of a category, as assignmentText writes them. */
const ASSIGNED = `(SELECT string_agg(attribute_id || CASE WHEN mandatory THEN '!' ELSE '' END, ',' ORDER BY position, attribute_id)
  FROM category_attribute WHERE category_id = category.id)`;

async function locate(
  db: Db,
  siteId: number,
  nodes: readonly CategoryNode[],
  { roots, withAssignments, intern }: Locating,
): Promise<void> {
  const wanted = nodes.map(({ parent, nameKey, tree }, index) => ({
    i: index,
    p: parent?.stored?.id,
    k: nameKey,
    t: tree,
  }));
  const place = roots ? 'parent_id IS NULL AND tree = wanted.t' : 'parent_id = wanted.p COLLATE "C"';
  const result = await db.raw(
    `SELECT wanted.i, found.* FROM jsonb_to_recordset(:wanted::jsonb) AS wanted (i integer, p text, k text, t text)
     CROSS JOIN LATERAL (
       SELECT id, node_id, path, sort_order, active, ${withAssignments ? ASSIGNED : 'NULL'} AS assigned FROM category
       WHERE site_id = :siteId AND name_key = wanted.k COLLATE "C" AND ${place} LIMIT 1) AS found`,
    { siteId, wanted: JSON.stringify(wanted) },
  );
  for (const { i, id, node_id, path, sort_order, active, assigned } of result.rows) {
    const node = nodes[i];
    if (node !== undefined)
      node.stored = { id, nodeId: node_id, path, order: sort_order, active, assigned: intern(assigned ?? '') };
  }
}

/** The place of a category, in names from the root down. */
export type NamedPlace = Extract<CategoryPlace, { tree: CategoryTree }>;

/** @returns id and node id → place, for the categories that exist; to be passed to namedPlace */
export async function placesOfReferences(
  db: Db,
  siteId: number,
  references: readonly CategoryReference[],
): Promise<Map<string, NamedPlace>> {
  const ids = references.flatMap((reference) => ('id' in reference ? [reference.id] : []));
  const nodeIds = references.flatMap((reference) => ('nodeId' in reference ? [reference.nodeId] : []));
  if (ids.length === 0 && nodeIds.length === 0) return new Map();
  const rows = await Category.query(db)
    .where({ site_id: siteId })
    .where((query) =>
      query
        .whereRaw('id = ANY (?::text[])', [[...new Set(ids)]])
        .orWhereRaw('node_id = ANY (?::integer[])', [[...new Set(nodeIds)].filter((nodeId) => nodeId <= MAX_NODE_ID)]),
    );
  const lineages = await loadLineages(db, siteId, rows);
  return new Map(
    rows.flatMap((row, index) => {
      const names = (lineages[index] ?? []).map(({ name }) => name);
      const place = { tree: row.tree, names: row.tree === 'PRIMARY' ? names.slice(1) : names };
      return [
        [row.id, place],
        [String(row.node_id), place],
      ] as const;
    }),
  );
}

/** The place of a row's category in names; undefined when the category that it names as its parent does not exist. */
export function namedPlace(place: CategoryPlace, parents: ReadonlyMap<string, NamedPlace>): NamedPlace | undefined {
  if (!('parent' in place)) return place;
  const { parent, name } = place;
  const above = parents.get('id' in parent ? parent.id : String(parent.nodeId));
  return above && { tree: above.tree, names: [...above.names, name] };
}
