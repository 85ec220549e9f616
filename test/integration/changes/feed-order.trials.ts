/** Declares that readers of the feed miss nothing and see nothing twice, whatever is written and rolled back meanwhile. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import type { ChangeFilter } from '../../../src/domain/changes/change-entry.js';
import { presentCursor, readFeed } from '../../../src/domain/changes/feed.js';
import { type ItemChange, NO_CHANGES, OPERATION } from '../../../src/domain/changes/model/item-change.js';
import { numberChanges } from '../../../src/domain/changes/number-changes.js';
import { recordChanges } from '../../../src/domain/changes/record-changes.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { seededRandom } from '../../support/models/random.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WRITERS = 8;
const ITEMS = 6;
const PAGE = 3;

/** What readers ask for: everything, or what a program asks for that follows items, an attribute, or definitions. */
const READERS: readonly { readonly filter: ChangeFilter; readonly sees: (kind: Kind) => boolean }[] = [
  { filter: {}, sees: () => true },
  { filter: { attributes: ['n'], withCreatedAndDeleted: true }, sees: (kind) => kind === 'item' },
  { filter: { kinds: ['attribute'] }, sees: (kind) => kind === 'attribute' },
];
type Kind = 'item' | 'attribute';
type Counts = Readonly<Record<Kind, number>>;

export interface FeedTrials {
  readonly trials: number;
  /** How many transactions each writer makes in a trial. */
  readonly transactions: number;
  /** How long a transaction stays open at most; most end much earlier. */
  readonly longestMs: number;
  /** In how many of the trials one more transaction stays open for half of this time at least, while the others go on. */
  readonly held: { readonly trials: number; readonly longestMs: number };
  readonly seed: number;
}

export function describeFeedOrder({ trials, transactions, longestMs, held, seed }: FeedTrials): void {
  describe('readers of the feed', function () {
    this.timeout(trials * (transactions * longestMs + 30_000) + held.trials * 2 * held.longestMs);
    let world: World;
    before(async () => {
      world = await startWorld();
    });
    after(() => world.stop());

    it(`see each change once, and those of an item in the order in which it was changed (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      for (let trial = 0; trial < trials; trial++) {
        const { siteId } = await world.newShop();
        await world.db('attribute').insert(
          [...ATTRIBUTES, HELD].map((name, position) => ({
            ...{ id: newId(), site_id: siteId, name, name_key: name.toLowerCase() },
            ...{ type: 'TEXT', position, definition: {} },
          })),
        );
        const begin = await presentCursor(world.db, siteId);
        let isWriting = true;
        let isHeld = trial < held.trials;
        const heldMs = held.longestMs * (0.5 + random() / 2);
        const holding = (isHeld ? hold(world.db, siteId, heldMs) : Promise.resolve(NONE)).finally(() => {
          isHeld = false;
        });
        const writers = ATTRIBUTES.map((attribute) =>
          write(world.db, siteId, { attribute, transactions, longestMs, random, goesOn: () => isHeld }),
        );
        const writing = Promise.all([...writers, holding]).finally(() => {
          isWriting = false;
        });
        const reading = READERS.map(({ filter }) => follow(world.db, siteId, begin, filter, () => isWriting));
        const written = sumOf(await writing);
        for (const [nth, seen] of (await Promise.all(reading)).entries()) {
          const { sees } = READERS[nth] ?? assert.fail();
          const expected = {
            item: sees('item') ? written.item : 0,
            attribute: sees('attribute') ? written.attribute : 0,
          };
          assert.deepEqual(seen, expected, `reader ${nth} of trial ${trial}`);
        }
      }
    });
  });
}

/** One for each writer: they would wait for each other otherwise, whatever items they change. */
const ATTRIBUTES = Array.from({ length: WRITERS }, (_, nth) => `Attribute ${nth}`);
/** Of the transaction that is held, whose items are its own as well: nobody waits for it. */
const HELD = 'Held attribute';
const HELD_SKUS = ['held-1', 'held-2'];
const NONE: Counts = { item: 0, attribute: 0 };
const SKUS = Array.from({ length: ITEMS }, (_, nth) => `item-${nth}`);

interface Writing {
  readonly attribute: string;
  readonly transactions: number;
  readonly longestMs: number;
  readonly random: () => number;
  /** Whether it makes further transactions when it has made all of its own. */
  readonly goesOn: () => boolean;
}

/** Creates items, counts them up and deletes them, some in one transaction, and records that. @returns what was committed */
async function write(
  db: Db,
  siteId: number,
  { attribute, transactions, longestMs, random, goesOn }: Writing,
): Promise<Counts> {
  const committed = { item: 0, attribute: 0 };
  for (let nth = 0; nth < transactions || goesOn(); nth++) {
    const parts = 1 + upTo(random, 2);
    const isUndone = upTo(random, 5) === 0;
    const openMs = longestMs * random() ** 4;
    const isDefining = upTo(random, 1) === 0;
    // Locked in the order of their keys, so that writers do not deadlock.
    const steps = SKUS.filter(() => upTo(random, 2) === 0).map((sku) => ({ sku, deletes: upTo(random, 3) === 0 }));
    const changed = await withRetries(db, async (trx) => {
      let items = 0;
      for (let part = 0; part < parts; part++) {
        await stayOpen(trx, openMs / (parts + 1));
        items += await changeItems(
          trx,
          siteId,
          steps.filter((_, index) => Math.floor((index * parts) / steps.length) === part),
        );
      }
      if (isDefining) await trx('attribute').where({ site_id: siteId, name: attribute }).increment('position', 100);
      await stayOpen(trx, openMs / (parts + 1));
      if (isUndone) await trx.rollback(new Undone()).catch(() => undefined);
      return { item: items, attribute: isDefining ? 1 : 0 };
    }).catch((error: unknown) => {
      if (isUndone) return { item: 0, attribute: 0 };
      throw error;
    });
    if (!isUndone) {
      committed.item += changed.item;
      committed.attribute += changed.attribute;
    }
    if (upTo(random, 3) === 0) await numberChanges(db, siteId);
  }
  return committed;
}

/** Takes the numbers of its changes first, and commits when the others have committed and read much more. */
async function hold(db: Db, siteId: number, ms: number): Promise<Counts> {
  return db.transaction(async (trx) => {
    const all = HELD_SKUS.map((sku) => ({ sku, deletes: false }));
    let item = await changeItems(trx, siteId, all);
    await trx('attribute').where({ site_id: siteId, name: HELD }).increment('position', 100);
    await stayOpen(trx, ms);
    item += await changeItems(trx, siteId, all.slice(1));
    return { item, attribute: 1 };
  });
}

/** An item that is not there is created with the number 0; another one is counted up, or deleted. @returns how many changed */
async function changeItems(
  trx: Knex.Transaction,
  siteId: number,
  steps: readonly { readonly sku: string; readonly deletes: boolean }[],
): Promise<number> {
  const skus = steps.map(({ sku }) => sku);
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(sku, ?)) FROM unnest(?::text[]) AS sku', [siteId, skus]);
  // A statement of its own, which sees what was committed while the one before waited.
  const found: { sku: string; attributes: { n: number } }[] = await trx('item')
    .where({ site_id: siteId })
    .whereIn('sku', skus)
    .select('sku', 'attributes');
  const there = new Map(found.map(({ sku, attributes }) => [sku, attributes.n]));
  const created = skus.filter((sku) => !there.has(sku));
  const changed = steps.flatMap(({ sku, deletes }): ItemChange[] => {
    const n = there.get(sku);
    if (n === undefined) return [];
    if (deletes) return [{ sku, operation: OPERATION.deleted, row: null, changed: { n: { b: n } } }];
    return [{ sku, operation: OPERATION.updated, row: null, changed: { n: { b: n, a: n + 1 } } }];
  });
  const of = (operation: string) => changed.filter((change) => change.operation === operation).map(({ sku }) => sku);
  const all = trx('item').where({ site_id: siteId });
  if (created.length > 0) {
    await trx('item').insert(created.map((sku) => ({ site_id: siteId, sku, attributes: { n: 0 } })));
  }
  await all.clone().whereIn('sku', of(OPERATION.deleted)).delete();
  await all
    .clone()
    .whereIn('sku', of(OPERATION.updated))
    .update({ attributes: trx.raw("jsonb_build_object('n', (attributes ->> 'n')::integer + 1)") });
  const changes = { ...NO_CHANGES, created, createdRows: created.map((_, index) => index + 1), changed };
  await recordChanges(trx, [{ siteId, jobId: null, actor: null, changes }]);
  return created.length + changed.length;
}

function sumOf(all: readonly Counts[]): Counts {
  return {
    item: all.reduce((sum, { item }) => sum + item, 0),
    attribute: all.reduce((sum, { attribute }) => sum + attribute, 0),
  };
}

function upTo(random: () => number, most: number): number {
  return Math.floor(random() * (most + 1));
}

async function stayOpen(trx: Knex.Transaction, ms: number): Promise<void> {
  await trx.raw('SELECT pg_sleep(?)', [ms / 1_000]);
}

class Undone extends Error {}

/** Reads on from a cursor until nothing is written any more. @returns how many changes it has seen */
async function follow(
  db: Db,
  siteId: number,
  since: string,
  filter: ChangeFilter,
  isWriting: () => boolean,
): Promise<Counts> {
  const counts = { item: 0, attribute: 0 };
  /** What is there: SKU → its number, attribute → its position. */
  const present = new Map<string, unknown>();
  for (let cursor = since; ; ) {
    const wasWriting = isWriting();
    const page = await readFeed(db, siteId, cursor, filter, PAGE);
    for (const entry of page.entries) {
      const { kind, sku, operation, changed, definition } = entry;
      const what = `${sku || definition?.key} has no change missing, repeated or out of order`;
      if (kind === 'item') {
        counts.item++;
        assert.equal(operation === 'CREATED' ? undefined : changed.n?.b, present.get(sku), what);
        if (operation === 'DELETED') present.delete(sku);
        else present.set(sku, operation === 'CREATED' ? 0 : changed.n?.a);
      } else if (kind === 'attribute' && definition !== null) {
        counts.attribute++;
        const { key, before, after } = definition;
        if (present.has(key)) assert.equal(before?.position, present.get(key), what);
        present.set(key, after?.position);
      }
    }
    cursor = page.cursor;
    if (!wasWriting && page.entries.length === 0) return counts;
  }
}
