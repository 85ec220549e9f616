/** The items that a feed has written: they are its own until they go, or the feed does. Several feeds may have written one. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { storable } from '../../kernel/characters.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import type { ReadRows } from '../items/item-batch.js';
import type { Snapshot } from '../kept/snapshot.js';
import { arrayOf } from './array-of-skus.js';

interface FeedOfSite {
  readonly siteId: number;
  readonly feedId: string;
}

/** The feed of which a snapshot removes what it has written; undefined: it has another scope. */
export function feedOf({ scope }: Pick<Snapshot, 'scope'>): string | undefined {
  return typeof scope === 'object' && 'feed' in scope ? scope.id : undefined;
}

const WRITTEN: readonly (Outcome | undefined)[] = [OUTCOME.created, OUTCOME.updated, OUTCOME.unchanged];

/** The SKUs of the rows that were applied, also of those that changed nothing. */
export function writtenBy({ rows, unchanged }: ReadRows, outcomes: readonly Outcome[]): string[] {
  const skus = [...unchanged.skus];
  for (const [index, { outcome }] of rows.entries()) {
    if (outcome.draft !== null && WRITTEN.includes(outcomes[index])) skus.push(outcome.draft.sku);
  }
  return skus;
}

/** Records that the feed has written these items, in the transaction that writes them. A feed that is gone has none. */
export async function claimItems(
  trx: Knex.Transaction,
  { siteId, feedId }: FeedOfSite,
  skus: readonly string[],
): Promise<void> {
  if (skus.length === 0) return;
  await trx.raw(
    `INSERT INTO feed_item (feed_id, site_id, sku)
     SELECT feed.id, feed.site_id, written.sku FROM feed CROSS JOIN unnest(:skus::text[]) AS written (sku)
     WHERE feed.id = :feedId AND feed.site_id = :siteId
     ON CONFLICT DO NOTHING`,
    { siteId, feedId, skus: arrayOf(skus) },
  );
}

/**
 * Leaves out of what is missing the items that other feeds have written too: they stay.
 * @returns how many they are, and the first of them
 */
export async function keepShared(trx: Knex.Transaction, { siteId, feedId }: FeedOfSite) {
  await trx.raw('CREATE TEMPORARY TABLE shared_item (sku text COLLATE "C" PRIMARY KEY, name text) ON COMMIT DROP');
  const { rows } = await trx.raw<{ rows: { sku: string; name: string; count: number }[] }>(
    `WITH shared AS MATERIALIZED (
       INSERT INTO shared_item
       SELECT missing_item.sku, other.name FROM missing_item CROSS JOIN LATERAL (
         SELECT feed.name FROM feed_item JOIN feed ON feed.id = feed_item.feed_id
         WHERE feed_item.site_id = :siteId AND feed_item.sku = missing_item.sku AND feed_item.feed_id <> :feedId
         ORDER BY feed.name LIMIT 1) AS other
       RETURNING sku, name
     ), kept AS (
       DELETE FROM missing_item WHERE sku IN (SELECT sku FROM shared)
     )
     SELECT sku, name, (SELECT count(*) FROM shared)::integer AS count FROM shared ORDER BY sku LIMIT 1`,
    { siteId, feedId },
  );
  const [first] = rows;
  if (first === undefined) return { count: 0, first: null };
  const message = `the feed "${storable(first.name, 100)}" has written it too`;
  return { count: first.count, first: { sku: first.sku, message } };
}

/** The items that stay because others have written them are no longer this feed's, or none of the feeds would ever remove them. */
export async function releaseShared(trx: Knex.Transaction, feedId: string): Promise<void> {
  await trx.raw('DELETE FROM feed_item WHERE feed_id = ? AND sku = ANY (ARRAY(SELECT sku FROM shared_item))', [feedId]);
}

/** A feed that was deleted while its file was imported has written nothing. */
export async function forgetItemsOfGoneFeed(db: Db, snapshot: Snapshot | undefined): Promise<void> {
  const feedId = snapshot === undefined ? undefined : feedOf(snapshot);
  if (feedId === undefined) return;
  await db.raw('DELETE FROM feed_item WHERE feed_id = :feedId AND NOT EXISTS (SELECT FROM feed WHERE id = :feedId)', {
    feedId,
  });
}
