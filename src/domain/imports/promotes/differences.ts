/** Finds the items in which two stages differ, as rows that make those of the target equal to those of the source. */
import type { Knex } from 'knex';
import { differencesOf, FIELD } from '../../changes/model/item-change.js';
import type { RevertRow } from '../reverts/revert-row.js';
import type { StageMaps } from './stage-maps.js';

/** Which stages are compared: ids of sites. */
export interface ComparedStages {
  readonly sourceId: number;
  readonly targetId: number;
}

/** How many differing items are in memory at once. */
const FETCHED = 500;

/** Yields a row for each differing item, in the order of SKUs. Categories are named by their ids in the target, the category of an item as well. */
export async function* differencesBetween(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
): AsyncGenerator<RevertRow> {
  await trx.raw(`DECLARE differences NO SCROLL CURSOR FOR ${differing('')}`, bindings(stages, maps));
  for (;;) {
    const { rows } = await trx.raw<{ rows: DifferingItem[] }>(`FETCH ${FETCHED} FROM differences`);
    for (const row of rows) yield rowOf(row);
    if (rows.length < FETCHED) break;
  }
  await trx.raw('CLOSE differences');
}

/** SKU → the row of each of these items that differs. */
export async function differencesOfItems(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
  skus: readonly string[],
): Promise<ReadonlyMap<string, RevertRow>> {
  if (skus.length === 0) return new Map();
  const chosen = 'AND sku = ANY (ARRAY(SELECT jsonb_array_elements_text(:skus::jsonb) COLLATE "C"))';
  const all = { ...bindings(stages, maps), skus: JSON.stringify(skus) };
  const { rows } = await trx.raw<{ rows: DifferingItem[] }>(differing(chosen), all);
  return new Map(rows.map((row) => [row.sku, rowOf(row)]));
}

function bindings({ sourceId, targetId }: ComparedStages, maps: StageMaps) {
  return { sourceId, targetId, ...textsOf(maps) };
}

/** The maps as texts, which the chunks of a job send again and again. */
const texts = new WeakMap<StageMaps, Readonly<Record<string, string>>>();

function textsOf(maps: StageMaps): Readonly<Record<string, string>> {
  const known = texts.get(maps);
  if (known !== undefined) return known;
  const { attributes, nodes, targetNodes, places } = maps;
  const written = {
    attributes: JSON.stringify(attributes),
    nodes: JSON.stringify(nodes),
    targetNodes: JSON.stringify(targetNodes),
    places: JSON.stringify(places),
  };
  texts.set(maps, written);
  return written;
}

/** What an item has in each stage, by parts: of the item itself, of its alternate categories and of its bundle. */
interface DifferingItem {
  readonly sku: string;
  readonly parts: Readonly<Record<`${'s' | 't'}${'i' | 'f' | 'c' | 'b'}`, unknown>>;
}

function rowOf({ sku, parts }: DifferingItem): RevertRow {
  const [was, is] = [imageOf(parts.si, parts.sf, parts.sc, parts.sb), imageOf(parts.ti, parts.tf, parts.tc, parts.tb)];
  const changed = differencesOf(was ?? {}, is ?? {});
  const home = was?.[FIELD.node];
  const place = typeof home === 'string' ? { home } : {};
  return { sku, was: was !== null, is: is !== null, isWhole: false, changed, ...place, firstSet: 0, at: '' };
}

function imageOf(values: unknown, fields: unknown, places: unknown, bundle: unknown): Record<string, unknown> | null {
  if (values === undefined) return null;
  const lists = { [FIELD.alternates]: places, [FIELD.bundle]: bundle };
  const present = Object.entries(lists).filter(([, list]) => list !== undefined);
  return { ...Object(values), ...Object(fields), ...Object.fromEntries(present) };
}

/**
 * SQL: sku and parts of each item that differs. There is no join, which could be planned badly where tables have just been
 * filled: all that both stages have is sorted or hashed by SKU once, and what does not fit into memory goes to disk.
 * @param chosen SQL: which SKUs are compared; empty: all
 */
function differing(chosen: string): string {
  const item = (site: string, side: 's' | 't', values: string, node: string) => `
    SELECT sku, '${side}i' AS part, ${values} AS value FROM item WHERE site_id = ${site} ${chosen}
    UNION ALL
    SELECT sku, '${side}f', jsonb_strip_nulls(jsonb_build_object('${FIELD.node}', ${node}, '${FIELD.parent}', parent_sku,
      '${FIELD.channels}', channels, '${FIELD.type}', type)) FROM item WHERE site_id = ${site} ${chosen}`;
  const places = (site: string, side: 's' | 't', id: string) => `
    SELECT sku, '${side}c', jsonb_agg(id ORDER BY id COLLATE "C") FROM (
      SELECT sku, ${id} AS id FROM category_item WHERE site_id = ${site} ${chosen}) AS placed GROUP BY sku`;
  const bundles = (site: string, side: 's' | 't') => `
    SELECT bundle_sku, '${side}b', jsonb_agg(jsonb_build_object('sku', sku, 'quantity', quantity) ORDER BY position)
    FROM bundle_item WHERE site_id = ${site} ${chosen.replace('AND sku', 'AND bundle_sku')} GROUP BY bundle_sku`;
  const mapped = `(SELECT coalesce(jsonb_object_agg(coalesce(maps.attributes ->> one.key, one.key), one.value), '{}')
      FROM jsonb_each(item.attributes) AS one)`;
  const same = ['i', 'f', 'c', 'b'].map((part) => `parts -> 's${part}' IS NOT DISTINCT FROM parts -> 't${part}'`);
  return `
    WITH maps AS MATERIALIZED (
      SELECT :attributes::jsonb AS attributes, :nodes::jsonb AS nodes, :targetNodes::jsonb AS target_nodes,
        :places::jsonb AS places
    ), all_parts AS (
      ${item(':sourceId', 's', mapped, 'coalesce(maps.nodes -> node_id::text, to_jsonb(node_id))').replaceAll('FROM item WHERE', 'FROM item CROSS JOIN maps WHERE')}
      UNION ALL ${item(':targetId', 't', 'item.attributes', 'coalesce(maps.target_nodes -> node_id::text, to_jsonb(node_id))').replaceAll('FROM item WHERE', 'FROM item CROSS JOIN maps WHERE')}
      UNION ALL ${places(':sourceId', 's', 'coalesce(maps.places ->> category_id, category_id)').replace('FROM category_item WHERE', 'FROM category_item CROSS JOIN maps WHERE')}
      UNION ALL ${places(':targetId', 't', 'category_id')}
      UNION ALL ${bundles(':sourceId', 's')}
      UNION ALL ${bundles(':targetId', 't')}
    ), items AS (SELECT sku, jsonb_object_agg(part, value) AS parts FROM all_parts GROUP BY sku)
    SELECT sku, parts FROM items WHERE NOT (${same.join(' AND ')}) ORDER BY sku COLLATE "C"`;
}
