/** A file store that goes silent in the middle of an import by a profile: nobody else waits for it. */
import assert from 'node:assert/strict';
import type { FileStore } from '../../../src/platform/file-store.js';
import { holdStore } from '../../support/faults/held-store.js';
import type { Shop } from '../../support/http/shop.js';
import { defineGermanShop } from '../../support/models/german-shop.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const PROFILE = {
  fileType: 'ITEM_IMPORT',
  columns: [
    { to: 'SKU', from: 'Nr' },
    { to: 'Category Node', from: 'Gruppe', steps: [{ step: 'path', separator: '>' }] },
    { to: 'Stock', from: 'Menge', steps: [{ step: 'number', decimal: ',', thousands: '.' }] },
  ],
};
/** Of each of its two chunks one row is applied, and one fails: what it holds is quoted from the source. */
const fileWith = (stock: number) =>
  `Nr;Gruppe;Menge\na;Zubehör > Helme;${stock}\nb;Zubehör > Helme;1.950,27\nc;Zubehör > Hüte;3\nd;Zubehör > Helme;${stock}\n`;
const QUOTED = ['1.950,27', 'Zubehör > Hüte'];
/** More than an import of such a file reads of its copy. */
const MOST_READS = 30;
const WITHIN_MS = 20_000;

describe('a file store that goes silent during an import by a profile', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  /** What the workers read of the store. */
  let readRange: FileStore['readRange'];
  before(async () => {
    world = await startWorld({ chunkRows: 2 });
    const { fileStore } = world.services;
    ({ readRange } = fileStore);
    const watched = { ...fileStore, readRange: (...range: Parameters<typeof readRange>) => readRange(...range) };
    await world.startWorkers({ fileStore: watched }, BULK_ONLY);
    shop = await defineGermanShop(await world.newShop());
    await shop.importFile('liste.csv', fileWith(0), { profile: PROFILE });
  });
  after(() => world.stop());

  /** Whether no transaction keeps those waiting who write items. */
  async function areFree(): Promise<boolean> {
    const { rows } = await world.db.raw<{ rows: unknown[] }>(
      `SELECT mode FROM pg_locks JOIN pg_database ON pg_database.oid = database AND datname = current_database()
       WHERE relation = 'item'::regclass AND mode <> 'AccessShareLock'`,
    );
    return rows.length === 0;
  }

  /** Holds one read of the copy. @returns whether the import came to it */
  async function importHeldAt(nth: number): Promise<boolean> {
    let reads = 0;
    const isHeld = (key: string) => key.startsWith('spools/') && ++reads === nth;
    const held = holdStore(world.services.fileStore, 'readRange', isHeld);
    ({ readRange } = held.fileStore);
    const jobId = await shop.upload('liste.csv', fileWith(nth), { profile: PROFILE });
    const ended = shop.outcome(jobId);
    const isReached = await Promise.race([held.reached.then(() => true), ended.then(() => false)]);
    try {
      // The other chunk may still be applied.
      if (isReached) await until(`items that nobody has locked, during read ${nth} of the copy`, areFree, WITHIN_MS);
    } finally {
      held.release();
    }
    const { updated, errors } = await ended;
    assert.equal(updated, 2);
    assert.deepEqual(
      errors.map(({ value }) => value),
      QUOTED,
    );
    return isReached;
  }

  it('keeps no item of others locked, whatever is being read', async () => {
    let reads = 0;
    while (reads < MOST_READS && (await importHeldAt(reads + 1))) reads += 1;
    // At least the lines of each chunk, and what the source has for them.
    assert.ok(reads >= 4 && reads < MOST_READS, `${reads} reads`);
  });
});
