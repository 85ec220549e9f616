/** Reads rows of categories, from files and from JSON. */
import type { Db } from '../../../../db/connection.js';
import type { CategoryTree } from '../../../../db/models/category.js';
import { Category } from '../../../../db/models/category.js';
import type { CategoryColumns } from '../../catalog/categories/category-columns.js';
import { loadLineages } from '../../catalog/categories/category-details.js';
import type { CategoryInput, CategoryPlace } from '../../catalog/categories/category-input.js';
import { categoryRowReader } from '../../catalog/categories/category-row.js';
import type { CategoryReference } from '../../catalog/categories/find-category.js';
import { MAX_NODE_ID } from '../../catalog/categories/find-category.js';
import { parseCategoryInput } from '../../catalog/categories/parse-category-input.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { CategoryNode } from './category-trees.js';
import { CategoryTrees } from './category-trees.js';

// The rows of one input. All of them are in memory at once, so that as little as possible is kept of each.

type ByParent = Extract<CategoryPlace, { parent: unknown }>;

/** What a row says about its category, except for its place. */
export type CategoryFields = Pick<CategoryInput, 'order' | 'active' | 'attributes'>;

export interface PlacedRow {
  readonly row: number;
  /** Null: the row does not say which category it is about. */
  readonly fields: CategoryFields | null;
  /** Why the row cannot be applied; none: it may be. */
  readonly problems: readonly RowProblem[];
  /** How the row names its category; null when the path of its node says it. */
  readonly key: string | null;
  /** The name, as the row writes it. */
  readonly name: string | undefined;
  /** Null when the row names its parent by an id, which is looked up later. */
  readonly node: CategoryNode | null;
  readonly byParent: ByParent | null;
}

const NO_PROBLEMS: readonly RowProblem[] = [];

export class PlacedRows {
  readonly trees = new CategoryTrees();
  readonly rows: PlacedRow[] = [];

  add({ row, key, outcome }: ReadCategory): void {
    if (!('place' in outcome)) {
      this.rows.push({ row, fields: null, problems: outcome, key, name: undefined, node: null, byParent: null });
      return;
    }
    const { place, order, active, attributes, problems = NO_PROBLEMS } = outcome;
    const fields = { order, active, attributes };
    // Every member is written out: an object made by spreading gets a hidden class of its own, as large as itself.
    if ('parent' in place) {
      this.rows.push({ row, fields, problems, key, name: place.name, node: null, byParent: place });
    } else {
      const node = this.trees.place(place.tree, place.names);
      this.rows.push({ row, fields, problems, key: null, name: place.names.at(-1), node, byParent: null });
    }
  }

  /** How a row names its category, for messages. */
  keyOf({ key, node }: PlacedRow): string | null {
    return key ?? node?.path ?? null;
  }

  /**
   * Resolves which row of each category wins.
   * @param parents the places of the categories that rows name as parents by their ids
   * @returns the superseded rows (index → the node that they share), the rows whose parent does not exist, and those that
   *   cannot be applied although their place is known (index → their node)
   */
  resolveWinners(
    winning: 'first' | 'last',
    parents: ReadonlyMap<string, NamedPlace>,
  ): { superseded: Map<number, CategoryNode>; orphans: number[]; faulty: Map<number, CategoryNode> } {
    this.trees.reset();
    const superseded = new Map<number, CategoryNode>();
    const orphans: number[] = [];
    const faulty = new Map<number, CategoryNode>();
    for (const [index, row] of this.rows.entries()) {
      if (row.fields === null) continue;
      const node = row.node ?? this.#nodeBelow(row.byParent, parents);
      if (node === undefined) {
        orphans.push(index);
      } else if (row.problems.length > 0) {
        faulty.set(index, node);
        node.faulty = index;
      } else if (node.winner >= 0 && winning === 'first') {
        superseded.set(index, node);
      } else {
        if (node.winner >= 0) superseded.set(node.winner, node);
        node.winner = index;
        node.name = row.name ?? node.name;
      }
    }
    return { superseded, orphans, faulty };
  }

  #nodeBelow(place: ByParent | null, parents: ReadonlyMap<string, NamedPlace>): CategoryNode | undefined {
    const named = place && namedPlace(place, parents);
    return named ? this.trees.place(named.tree, named.names) : undefined;
  }
}

/** A row as it was read. */
interface ReadCategory {
  readonly row: number;
  /** How the row names its category; null when it does not. */
  readonly key: string | null;
  readonly outcome: CategoryInput | RowProblem[];
}

const KEY_FIELDS = ['path', 'name'] as const;

/** Creates a reader for the rows of one input. @param columns the columns of a file; null for JSON */
export function categoryReader(columns: CategoryColumns | null): (row: CsvRow | JsonRow) => ReadCategory {
  const readCells = columns === null ? null : categoryRowReader(columns);
  const pathColumn = columns?.indexOf('Category Path') ?? -1;
  return (given) => {
    const { row, problem } = given;
    if (!('cells' in given)) {
      const outcome = problem === null ? parseCategoryInput(given.element) : [problem];
      return { row, key: keyOfElement(given.element), outcome };
    }
    if (readCells === null) throw new Error('rows of a file cannot be read before its header');
    const key = given.cells[pathColumn]?.trim() || null;
    return { row, key, outcome: problem === null ? readCells(given.cells) : [problem] };
  };
}

function keyOfElement(element: unknown): string | null {
  if (typeof element !== 'object' || element === null) return null;
  const fields = element as Record<string, unknown>;
  const texts = KEY_FIELDS.map((field) => fields[field]).filter((value) => typeof value === 'string');
  return texts.map((text) => text.trim()).find((text) => text !== '') ?? null;
}

// Looking up which nodes of the trees exist: one level at a time.

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
type NamedPlace = Extract<CategoryPlace, { tree: CategoryTree }>;

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
function namedPlace(place: CategoryPlace, parents: ReadonlyMap<string, NamedPlace>): NamedPlace | undefined {
  if (!('parent' in place)) return place;
  const { parent, name } = place;
  const above = parents.get('id' in parent ? parent.id : String(parent.nodeId));
  return above && { tree: above.tree, names: [...above.names, name] };
}

// Finding the categories that rows name, for the result of a job.

interface FoundPlace {
  readonly id: string;
  readonly nodeId: number;
  readonly path: string;
}

/** Finds the categories at these places, in order; undefined where no category exists now. */
export async function findPlaces(
  db: Db,
  siteId: number,
  places: readonly (CategoryPlace | undefined)[],
): Promise<(FoundPlace | undefined)[]> {
  const references = places.flatMap((place) => (place !== undefined && 'parent' in place ? [place.parent] : []));
  const parents = await placesOfReferences(db, siteId, references);
  const trees = new CategoryTrees();
  const nodes = places.map((place) => {
    const named = place && namedPlace(place, parents);
    return named && trees.place(named.tree, named.names);
  });
  await locateTrees(db, siteId, trees);
  return nodes.map((node) => {
    if (node === undefined || node.stored === null) return undefined;
    return { id: node.stored.id, nodeId: node.stored.nodeId, path: node.path };
  });
}
