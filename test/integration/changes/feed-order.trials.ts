/** Declares that readers of the feed miss nothing and see nothing twice, whatever is written and rolled back meanwhile. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import { presentCursor, readFeed } from '../../../src/domain/changes/feed.js';
import { NO_CHANGES, OPERATION } from '../../../src/domain/changes/model/item-change.js';
import { numberChanges } from '../../../src/domain/changes/number-changes.js';
import { recordChanges } from '../../../src/domain/changes/record-changes.js';
import { seededRandom } from '../../support/models/random.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WRITERS = 8;
const READERS = 3;
const ITEMS = 6;
const PAGE = 3;

export interface FeedTrials {
  readonly trials: number;
  /** How many transactions each writer makes in a trial. */
  readonly transactions: number;
  /** How long a transaction stays open at most. */
  readonly longestMs: number;
  readonly seed: number;
}

export function describeFeedOrder({ trials, transactions, longestMs, seed }: FeedTrials): void {
  describe('readers of the feed', function () {
    this.timeout(trials * (transactions * longestMs + 30_000));
    let world: World;
    before(async () => {
      world = await startWorld();
    });
    after(() => world.stop());

    it(`see each change once, and those of an item in the order in which it was changed (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      for (let trial = 0; trial < trials; trial++) {
        const { siteId } = await world.newShop();
        await layItems(world.db, siteId);
        const begin = await presentCursor(world.db, siteId);
        let isWriting = true;
        const writing = Promise.all(
          Array.from({ length: WRITERS }, () => write(world.db, siteId, transactions, longestMs, random)),
        ).finally(() => {
          isWriting = false;
        });
        const reading = Array.from({ length: READERS }, () => follow(world.db, siteId, begin, () => isWriting));
        const written = (await writing).reduce((sum, one) => sum + one, 0);
        for (const seen of await Promise.all(reading)) {
          assert.equal(seen.size === 0 ? 0 : [...seen.values()].reduce((sum, n) => sum + n, 0), written);
        }
      }
    });
  });
}

async function layItems(db: Db, siteId: number): Promise<void> {
  await db('item').insert(
    Array.from({ length: ITEMS }, (_, nth) => ({ site_id: siteId, sku: `item-${nth}`, attributes: { n: 0 } })),
  );
}

/** Counts items up, some in one transaction, and records that. @returns how many changes were committed */
async function write(db: Db, siteId: number, times: number, longestMs: number, random: () => number): Promise<number> {
  let committed = 0;
  for (let nth = 0; nth < times; nth++) {
    const parts = 1 + upTo(random, 2);
    const isUndone = upTo(random, 5) === 0;
    const waits = Array.from({ length: parts + 1 }, () => upTo(random, longestMs));
    // Locked in the order of their keys, so that writers do not deadlock.
    const skus = Array.from({ length: ITEMS }, (_, item) => `item-${item}`).filter(() => upTo(random, 2) === 0);
    const changes = await withRetries(db, async (trx) => {
      let changed = 0;
      for (let part = 0; part < parts; part++) {
        const own = skus.filter((_, index) => Math.floor((index * parts) / skus.length) === part);
        await stayOpen(trx, waits[part] ?? 0);
        const { rows } = await trx.raw<{ rows: { sku: string; n: number }[] }>(
          `SELECT sku, (attributes ->> 'n')::integer AS n FROM item
           WHERE site_id = ? AND sku = ANY (?) ORDER BY sku FOR UPDATE`,
          [siteId, own],
        );
        for (const { sku, n } of rows)
          await trx('item')
            .where({ site_id: siteId, sku })
            .update({ attributes: { n: n + 1 } });
        changed += rows.length;
        await recordChanges(trx, [
          {
            ...{ siteId, jobId: null, actor: null },
            changes: {
              ...NO_CHANGES,
              changed: rows.map(({ sku, n }) => ({
                ...{ sku, operation: OPERATION.updated, row: null },
                changed: { n: { b: n, a: n + 1 } },
              })),
            },
          },
        ]);
      }
      await stayOpen(trx, waits[parts] ?? 0);
      if (isUndone) await trx.rollback(new Undone()).catch(() => undefined);
      return changed;
    }).catch((error: unknown) => {
      if (isUndone) return 0;
      throw error;
    });
    committed += isUndone ? 0 : changes;
    if (upTo(random, 3) === 0) await numberChanges(db, siteId);
  }
  return committed;
}

function upTo(random: () => number, most: number): number {
  return Math.floor(random() * (most + 1));
}

async function stayOpen(trx: Knex.Transaction, ms: number): Promise<void> {
  await trx.raw('SELECT pg_sleep(?)', [ms / 1_000]);
}

class Undone extends Error {}

/** Reads on from a cursor until nothing is written any more. @returns item → how often it was changed */
async function follow(db: Db, siteId: number, since: string, isWriting: () => boolean): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  for (let cursor = since; ; ) {
    const wasWriting = isWriting();
    const page = await readFeed(db, siteId, cursor, {}, PAGE);
    for (const { sku, changed } of page.entries) {
      assert.equal(changed.n?.b, seen.get(sku) ?? 0, `${sku} has no change missing, repeated or out of order`);
      seen.set(sku, Number(changed.n?.a));
    }
    cursor = page.cursor;
    if (!wasWriting && page.entries.length === 0) return seen;
  }
}
