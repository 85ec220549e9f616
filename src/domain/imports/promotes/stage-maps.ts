/** What the attributes and categories of one stage are called in another one. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { RecentlyUsed } from '../../../platform/concurrency/recently-used.js';
import type { AttributeColumns } from '../../catalog/attribute-record.js';
import { categoryKey, PRIMARY_ROOT_NAME } from '../../catalog/categories/category-name.js';
import { formatPath } from '../../catalog/categories/category-path.js';

/** Ids of the source → ids of the target. What the target lacks has the id that it gets when it is carried over. */
export interface StageMaps {
  readonly attributes: Readonly<Record<string, string>>;
  /** Categories by id. */
  readonly places: Readonly<Record<string, string>>;
  /** Node ids → ids of categories of the target: of the source, and of the target itself. */
  readonly nodes: Readonly<Record<string, string>>;
  readonly targetNodes: Readonly<Record<string, string>>;
  /** Ids of categories of the target → their node ids. */
  readonly nodeIds: ReadonlyMap<string, number>;
  /** What the target lacks: the id that it gets → the name of the attribute, or the path of the category. */
  readonly lacking: ReadonlyMap<string, string>;
  /** Ids of attributes of the target that do not allow all values that the attributes of the source with their names allow. */
  readonly differing: ReadonlySet<string>;
  readonly sourceAttributes: readonly AttributeRow[];
  /** Each after its parent. */
  readonly sourceCategories: readonly PlacedCategory[];
}

interface AttributeRow extends AttributeColumns {
  readonly serial_next: string | null;
}

interface CategoryRow {
  readonly id: string;
  readonly node_id: number;
  readonly parent_id: string | null;
  readonly tree: string;
  readonly name: string;
  readonly depth: number;
  readonly sort_order: number;
  readonly active: boolean;
}

interface PlacedCategory extends CategoryRow {
  readonly path: string;
}

/** How many pairs of stages are kept, and of how many definitions in total; one pair may have more. */
const KEPT_PAIRS = 50;
const KEPT_DEFINITIONS = 100_000;
const kept = new RecentlyUsed<{ readonly stamp: string; readonly maps: StageMaps }>(KEPT_PAIRS, KEPT_DEFINITIONS);

/** The maps as the transaction sees the definitions. They are loaded anew only if one of these was written since. */
export async function loadStageMaps(trx: Knex.Transaction, sourceId: number, targetId: number): Promise<StageMaps> {
  const key = `${sourceId}/${targetId}`;
  const stamp = await stampOf(trx, sourceId, targetId);
  const known = kept.get(key);
  if (known?.stamp === stamp) return known.maps;
  const maps = await load(trx, sourceId, targetId);
  kept.set(key, { stamp, maps });
  kept.weigh(key, maps.sourceAttributes.length + maps.sourceCategories.length + maps.nodeIds.size);
  return maps;
}

/** Tells all states of the attributes and categories apart: a row has another xmin when it was written, even if that was undone later. */
async function stampOf(trx: Knex.Transaction, sourceId: number, targetId: number): Promise<string> {
  const stamp = (table: string) => `(
    SELECT count(*) || ' ' || coalesce(sum(hashtextextended(id || ' ' || xmin::text, 0)), 0) FROM ${table}
    WHERE site_id IN (:sourceId, :targetId))`;
  const { rows } = await trx.raw<{ rows: { stamp: string }[] }>(
    `SELECT ${stamp('attribute')} || ' ' || ${stamp('category')} AS stamp`,
    { sourceId, targetId },
  );
  return rows[0]?.stamp ?? '';
}

async function load(trx: Knex.Transaction, sourceId: number, targetId: number): Promise<StageMaps> {
  const attributesOf = (siteId: number): Promise<AttributeRow[]> =>
    trx('attribute')
      .where({ site_id: siteId })
      .orderBy(['position', 'id'])
      .select('id', 'name', 'name_key', 'type', 'position', 'definition', 'serial_next');
  const categoriesOf = (siteId: number): Promise<CategoryRow[]> =>
    trx('category')
      .where({ site_id: siteId })
      .orderBy(['depth', 'sort_order', 'id'])
      .select('id', 'node_id', 'parent_id', 'tree', 'name', 'depth', 'sort_order', 'active');
  const [sources, targets] = [await attributesOf(sourceId), await attributesOf(targetId)];
  const lacking = new Map<string, string>();
  const attributes: Record<string, string> = {};
  const differing = new Set<string>();
  const byKey = new Map(targets.map((attribute) => [attribute.name_key, attribute]));
  const taken = new Set(targets.map(({ id }) => id));
  for (const source of sources) {
    const target = byKey.get(source.name_key);
    const id = target?.id ?? newIdFor(source.id, targetId, taken);
    attributes[source.id] = id;
    if (target === undefined) lacking.set(id, source.name);
    else if (!allowsAll(source, target)) differing.add(id);
  }
  const there = placed(await categoriesOf(targetId));
  const byPath = new Map(there.map((category) => [category.key, category.id]));
  for (const { id } of there) taken.add(id);
  const nodes: Record<string, string> = {};
  const places: Record<string, string> = {};
  const sourceCategories = placed(await categoriesOf(sourceId));
  for (const { key, path, id: own, node_id: nodeId } of sourceCategories) {
    const target = byPath.get(key);
    const id = target ?? newIdFor(own, targetId, taken);
    if (target === undefined) lacking.set(id, path);
    places[own] = id;
    nodes[nodeId] = id;
  }
  const targetNodes = Object.fromEntries(there.map(({ id, node_id: nodeId }) => [nodeId, id]));
  const nodeIds = new Map(there.map(({ id, node_id: nodeId }) => [id, nodeId]));
  const sourceMaps = { sourceAttributes: sources, sourceCategories };
  return { attributes, places, nodes, targetNodes, nodeIds, lacking, differing, ...sourceMaps };
}

/**
 * The id that a definition gets in the target: always the same, so that what one promotion has carried over is known to
 * the others, and is there again under its id when a promotion is taken back and repeated.
 * @param taken ids of definitions of the target, which may have got other names
 */
function newIdFor(id: string, targetId: number, taken: ReadonlySet<string>): string {
  for (let nth = 0; ; nth++) {
    const hash = createHash('sha256').update(`${targetId}/${id}/${nth}`).digest('hex');
    const made = id.slice(0, 8) + hash.slice(0, 16);
    if (!taken.has(made)) return made;
  }
}

/** Whether each value that one attribute allows is one that the other allows as well. */
function allowsAll(source: AttributeRow, target: AttributeRow): boolean {
  const own = new Set(optionsOf(target.definition));
  return (
    isDeepStrictEqual(valuesOf(source), valuesOf(target)) &&
    optionsOf(source.definition).every((option) => own.has(option))
  );
}

/** What decides which values an attribute has, besides its options. */
function valuesOf({ type, definition: { optionsType, textSubType, validation } }: AttributeRow): unknown {
  return { type, optionsType, textSubType, validation };
}

/** The options of an attribute, if it has any. */
export function optionsOf(definition: unknown): readonly string[] {
  const { options }: { readonly options?: readonly string[] } = Object(definition);
  return options ?? [];
}

/** @param categories each after its parent */
function placed(categories: readonly CategoryRow[]): (PlacedCategory & { readonly key: string })[] {
  const names = new Map<string, readonly string[]>();
  return categories.map((category) => {
    const lineage = [...(names.get(category.parent_id ?? '') ?? []), category.name];
    names.set(category.id, lineage);
    const key = JSON.stringify([category.tree, ...lineage.map(categoryKey)]);
    const isBelowRoot = category.tree === 'PRIMARY' && lineage.length > 1 && lineage[0] === PRIMARY_ROOT_NAME;
    return { ...category, key, path: formatPath(isBelowRoot ? lineage.slice(1) : lineage) };
  });
}
