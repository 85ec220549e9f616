/** Finds the items in the scope of a snapshot that its file lacks. They are in a temporary table until the transaction ends. */
import type { Knex } from 'knex';
import { type Holder, whyHeld } from '../deletions/find-held.js';
import type { ResolvedSnapshot } from './resolve-snapshot.js';

interface SnapshotOf {
  readonly jobId: string;
  readonly siteId: number;
  /** Only items that are visible in this channel; null: all items are. */
  readonly channel: number | null;
  readonly content: 'items' | 'bundles';
}

/** @returns how many items are in the scope, and how many of them the file lacks */
export async function collectMissing(
  trx: Knex.Transaction,
  { jobId, siteId, channel, content }: SnapshotOf,
  { scope, values }: Pick<ResolvedSnapshot, 'scope' | 'values'>,
): Promise<{ readonly inScope: number; readonly missing: number }> {
  // Without statistics of a new stage, the SKUs of the file could be gone through for each item; with some, all be sorted.
  await trx.raw(`
    CREATE TEMPORARY TABLE missing_item (sku text COLLATE "C" PRIMARY KEY) ON COMMIT DROP;
    SET LOCAL enable_nestloop TO off; SET LOCAL enable_sort TO off`);
  const created = await createdAny(trx, jobId);
  // In one pass, which counts the scope and keeps what may be missing: nearly all items are unchanged, which their numbers say, and only
  // the others are looked for by SKU. Groups of neighbouring numbers, because few groups are counted in a fraction of the time that
  // it takes to group by SKU, and no array of one grows with the stage. OFFSET 0 keeps the groups from being compared one by one with
  // all SKUs of the file, which the planner prefers for a stage that its statistics do not know.
  const { rows } = await trx.raw<{ rows: { inScope: number; missing: number }[] }>(
    `WITH unchanged AS (
       SELECT word, bit_or(mask) AS mask FROM snapshot_sku, unnest(words, masks) AS one (word, mask)
       WHERE job_id = :jobId GROUP BY word
     ), given AS (
       SELECT unnest(skus) COLLATE "C" AS sku FROM snapshot_sku WHERE job_id = :jobId
     ), compared AS MATERIALIZED (
       SELECT count(*) AS items, array_agg(item.sku) FILTER (
         WHERE coalesce(unchanged.mask & (1 << (item.row_no & 31)::integer), 0) = 0
           AND ${created ? CREATED_BY_OTHERS : 'true'} AND ${values === null ? 'true' : `(${values.differs.sql})`}
       ) AS skus
       FROM item LEFT JOIN unchanged ON unchanged.word = item.row_no >> 5
       WHERE item.site_id = :siteId AND item.type ${content === 'bundles' ? '=' : '<>'} 'B'
         AND (item.channels IS NULL OR :channel::integer IS NULL OR :channel::integer = ANY (item.channels))
         AND (${scope.sql})
       GROUP BY item.row_no >> 10
     ), lacking AS (
       INSERT INTO missing_item
       SELECT one.sku FROM (SELECT unnest(skus) COLLATE "C" AS sku FROM compared OFFSET 0) AS one
       WHERE NOT EXISTS (SELECT FROM given WHERE given.sku = one.sku)
       RETURNING 1
     )
     SELECT (SELECT coalesce(sum(items), 0) FROM compared)::integer AS "inScope", (SELECT count(*) FROM lacking)::integer AS missing`,
    { jobId, siteId, channel, ...scope.bindings, ...values?.differs.bindings },
  );
  await trx.raw('SET LOCAL enable_nestloop TO DEFAULT; SET LOCAL enable_sort TO DEFAULT; ANALYZE missing_item');
  return rows[0] ?? { inScope: 0, missing: 0 };
}

/** All items that a transaction creates have its time, and while the job runs, no other one creates items of the stage. */
const CREATED_BY_OTHERS =
  'item.created_at NOT IN (SELECT created_at FROM snapshot_sku WHERE job_id = :jobId AND created_at IS NOT NULL)';

/** Only then are times compared: reading that of each item is a fifth of the comparison. */
async function createdAny(trx: Knex.Transaction, jobId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { any: boolean }[] }>(
    'SELECT EXISTS (SELECT FROM snapshot_sku WHERE job_id = ? AND created_at IS NOT NULL) AS any',
    [jobId],
  );
  return rows[0]?.any === true;
}

export interface HeldItem {
  readonly sku: string;
  readonly message: string;
}

/**
 * Leaves out the items that others need which stay: parents of variants, and parts of bundles. Each round may hold those that
 * the ones of the round before need.
 * @returns how many they are, and the first of them
 */
export async function keepHeld(
  trx: Knex.Transaction,
  siteId: number,
): Promise<{ readonly count: number; readonly first: HeldItem | null }> {
  let count = 0;
  let first: HeldItem | null = null;
  for (;;) {
    const { rows } = await trx.raw<{ rows: (Holder & { readonly target: string; readonly held: number })[] }>(
      `WITH held AS MATERIALIZED (
         SELECT missing_item.sku AS target, variant.sku, 'variant' AS kind
         FROM missing_item JOIN item AS variant ON variant.site_id = :siteId AND variant.parent_sku = missing_item.sku
         WHERE NOT EXISTS (SELECT FROM missing_item AS other WHERE other.sku = variant.sku)
         UNION ALL
         SELECT missing_item.sku, part.bundle_sku, 'bundle'
         FROM missing_item JOIN bundle_item AS part ON part.site_id = :siteId AND part.sku = missing_item.sku
         WHERE NOT EXISTS (SELECT FROM missing_item AS other WHERE other.sku = part.bundle_sku)
       ), kept AS (
         DELETE FROM missing_item WHERE sku IN (SELECT target FROM held) RETURNING sku
       )
       SELECT target, sku, kind, (SELECT count(*) FROM kept)::integer AS held FROM held ORDER BY target, sku LIMIT 1`,
      { siteId },
    );
    const [one] = rows;
    if (one === undefined) return { count, first };
    count += one.held;
    first ??= { sku: one.target, message: whyHeld(one) };
  }
}

/** The next of them in the order of SKUs, whose rows are locked. */
export async function nextMissing(
  trx: Knex.Transaction,
  siteId: number,
  after: string,
  count: number,
): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { sku: string }[] }>(
    `SELECT item.sku FROM item
     WHERE item.site_id = :siteId AND item.sku = ANY (ARRAY(
       SELECT sku FROM missing_item WHERE sku > :after ORDER BY sku LIMIT :count))
     ORDER BY item.sku FOR UPDATE`,
    { siteId, after, count },
  );
  return rows.map(({ sku }) => sku);
}
