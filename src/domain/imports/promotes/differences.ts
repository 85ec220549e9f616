/** Finds the items in which two stages differ, as rows that make those of the target equal to those of the source. */
import type { Knex } from 'knex';
import { type Differences, differencesOf, FIELD } from '../../changes/model/item-change.js';
import type { RevertRow } from '../reverts/revert-row.js';
import type { StageMaps } from './stage-maps.js';

/** Which stages are compared: ids of sites. */
export interface ComparedStages {
  readonly sourceId: number;
  readonly targetId: number;
}

/** How many items are compared by one statement, and how many bytes of their values as they are stored; one item may have more. */
const COMPARED = 500;
const COMPARED_BYTES = 2 * 1024 * 1024;

/** Yields a row for each differing item, in the order of SKUs. Categories are named by their ids in the target, the category of an item as well. */
export async function* differencesBetween(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
): AsyncGenerator<RevertRow> {
  for await (const skus of pagesOf(trx, stages)) yield* await rowsOf(trx, stages, maps, skus);
}

/** SKU → the row of each of these items that differs. */
export async function differencesOfItems(
  trx: Knex.Transaction,
  stages: ComparedStages,
  maps: StageMaps,
  skus: readonly string[],
): Promise<ReadonlyMap<string, RevertRow>> {
  return new Map((await rowsOf(trx, stages, maps, skus)).map((row) => [row.sku, row]));
}

/**
 * The SKUs of both stages in their order, in pages. They are read by one statement for all pages: whatever its plan is, each item is
 * looked at once, and what is sorted is no more than SKUs.
 */
async function* pagesOf(trx: Knex.Transaction, { sourceId, targetId }: ComparedStages): AsyncGenerator<string[]> {
  await trx.raw(
    `DECLARE compared NO SCROLL CURSOR FOR
     SELECT sku, sum(bytes)::integer AS bytes FROM (
       SELECT sku, pg_column_size(attributes) AS bytes FROM item WHERE site_id = :sourceId
       UNION ALL SELECT sku, pg_column_size(attributes) FROM item WHERE site_id = :targetId) AS one GROUP BY sku ORDER BY sku`,
    { sourceId, targetId },
  );
  for (;;) {
    const { rows } = await trx.raw<{ rows: { sku: string; bytes: number }[] }>(`FETCH ${COMPARED} FROM compared`);
    let [page, size]: [string[], number] = [[], 0];
    for (const { sku, bytes } of rows) {
      if (page.length > 0 && size + bytes > COMPARED_BYTES) {
        yield page;
        [page, size] = [[], 0];
      }
      page.push(sku);
      size += bytes;
    }
    if (page.length > 0) yield page;
    if (rows.length < COMPARED) return void (await trx.raw('CLOSE compared'));
  }
}

/** A row for each of these items that differs, in the order of `skus`. */
async function rowsOf(
  trx: Knex.Transaction,
  stages: ComparedStages,
  { attributes, nodes, targetNodes, places }: StageMaps,
  skus: readonly string[],
): Promise<RevertRow[]> {
  const given = Object.entries({ attributes, nodes, targetNodes, places, skus });
  const texts = Object.fromEntries(given.map(([name, one]) => [name, JSON.stringify(one)]));
  const { rows } = await trx.raw<{ rows: DifferingItem[] }>(DIFFERING, { ...stages, ...texts });
  return rows.map(rowOf);
}

interface DifferingItem {
  readonly sku: string;
  /** Attribute id → what differs. */
  readonly values: Differences | null;
  /** FIELD → what the item has in each of the stages; null: it is not there. */
  readonly source: Readonly<Record<string, unknown>> | null;
  readonly target: Readonly<Record<string, unknown>> | null;
}

function rowOf({ sku, values, source, target }: DifferingItem): RevertRow {
  const changed = { ...values, ...differencesOf(source ?? {}, target ?? {}) };
  const place = typeof source?.[FIELD.node] === 'string' ? { home: String(source[FIELD.node]) } : {};
  return { sku, was: source !== null, is: target !== null, isWhole: false, changed, ...place, firstSet: 0, at: '' };
}

/** SQL: the item of one of the stages, with its fields as the target calls them. `nodes` and `places` are maps of ids. */
function itemOf(siteId: string, nodes: string, placeId: string): string {
  return `LEFT JOIN LATERAL (
      SELECT attributes, jsonb_strip_nulls(jsonb_build_object(
        '${FIELD.node}', coalesce(${nodes}::jsonb -> node_id::text, to_jsonb(node_id)),
        '${FIELD.parent}', parent_sku, '${FIELD.channels}', channels, '${FIELD.type}', type,
        '${FIELD.alternates}', (
          SELECT jsonb_agg(${placeId} ORDER BY ${placeId} COLLATE "C") FROM category_item
          WHERE site_id = ${siteId} AND sku = key.sku COLLATE "C"),
        '${FIELD.bundle}', (
          SELECT jsonb_agg(jsonb_build_object('sku', part.sku, 'quantity', part.quantity) ORDER BY part.position)
          FROM bundle_item AS part WHERE part.site_id = ${siteId} AND part.bundle_sku = key.sku COLLATE "C"))) AS fields
      FROM item WHERE site_id = ${siteId} AND sku = key.sku COLLATE "C" LIMIT 1)`;
}

/**
 * SQL: what differs of the items `skus`. Each item is looked up by its key in a LATERAL subquery, which makes the planner use the
 * index whatever its statistics say; and values are compared where they are, so that only those that differ are sent.
 */
const DIFFERING = `
  SELECT key.sku, differing.values, source.fields AS source, target.fields AS target
  FROM jsonb_array_elements_text(:skus::jsonb) WITH ORDINALITY AS key (sku, nth)
  ${itemOf(':sourceId', ':nodes', 'coalesce(:places::jsonb ->> category_id, category_id)')} AS source ON true
  ${itemOf(':targetId', ':targetNodes', 'category_id')} AS target ON true
  CROSS JOIN LATERAL (
    SELECT jsonb_object_agg(id, CASE
      WHEN after.value IS NULL THEN jsonb_build_object('b', before.value)
      WHEN before.value IS NULL THEN jsonb_build_object('a', after.value)
      ELSE jsonb_build_object('b', before.value, 'a', after.value) END) AS values
    FROM (SELECT coalesce(:attributes::jsonb ->> key, key) AS id, value FROM jsonb_each(source.attributes)) AS before
    FULL JOIN (SELECT key AS id, value FROM jsonb_each(target.attributes)) AS after USING (id)
    WHERE before.value IS DISTINCT FROM after.value) AS differing
  WHERE differing.values IS NOT NULL OR source.fields IS DISTINCT FROM target.fields
  ORDER BY key.nth`;
