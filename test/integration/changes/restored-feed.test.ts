/**
 * A feed recognises by itself that its tables were restored from a dump into the same database, which otherwise has the same server,
 * timeline and identity.
 */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** What `pg_restore --clean` does: the table is made anew and loaded, and gets its triggers when it is full. */
const CLEAN = [
  'CREATE TABLE dumped AS SELECT * FROM change_feed',
  "SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger WHERE tgrelid = 'change_feed'::regclass AND NOT tgisinternal",
  'CREATE TABLE restored (LIKE change_feed INCLUDING ALL)',
  'DROP TABLE change_feed',
  'ALTER TABLE restored RENAME TO change_feed',
  'INSERT INTO change_feed SELECT * FROM dumped',
];
/** What `pg_restore --data-only` does, after the tables were emptied. */
const DATA_ONLY = [
  'CREATE TABLE dumped AS SELECT * FROM change_feed',
  'TRUNCATE change_feed',
  'INSERT INTO change_feed SELECT * FROM dumped',
];

describe('a feed that was restored from a dump into the same database', () => {
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld({ workers: true });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'One' } }]);
  });
  afterEach(() => world.db.raw('DROP TABLE dumped'));

  const cursorNow = async (): Promise<string> => (await shop.ask('GET', '/changes/cursor')).cursor;
  const change = (title: string) => shop.bulk('upsert', [{ sku: 'a', attributes: { Title: title } }]);
  const titlesSince = async (cursor: string) =>
    (await shop.ask('GET', `/changes?since=${cursor}`)).data.map(
      ({ attributes }: { attributes: { Title: { after: string } } }) => attributes.Title.after,
    );

  for (const [how, statements] of [
    ['with its tables made anew', CLEAN],
    ['into tables that were emptied', DATA_ONLY],
  ] as const) {
    it(`${how} answers 410 to the cursors of before, and goes on with new ones`, async () => {
      const old = await cursorNow();
      await world.db.transaction(async (trx) => {
        const triggers: string[] = [];
        for (const statement of statements) {
          const { rows } = await trx.raw<{ rows: { definition: string }[] }>(statement);
          triggers.push(...rows.map(({ definition }) => definition));
        }
        if (statements === CLEAN) for (const trigger of triggers) await trx.raw(trigger);
      });
      const cursor = await cursorNow();
      await change('Two');
      const { status, body } = await shop.get(`/changes?since=${old}`);
      assert.deepEqual([status, body.code], [410, 'CURSOR_GONE']);
      assert.match(body.message, /restored.*begin again with GET \/changes\/cursor/);
      assert.deepEqual(await titlesSince(cursor), ['Two']);
    });
  }

  it('keeps its cursors when the table is only rewritten, as by VACUUM FULL', async () => {
    await world.db.raw('CREATE TABLE dumped ()');
    const cursor = await cursorNow();
    await world.db.raw('VACUUM FULL change_feed');
    await change('Two');
    assert.deepEqual(await titlesSince(cursor), ['Two']);
  });
});
