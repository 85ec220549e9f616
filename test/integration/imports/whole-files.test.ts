/** Files that are only tried, or are all or nothing: their report is the one that the same file has in a twin site. */
import assert from 'node:assert/strict';
import type { FileOptions, Outcome, Shop, WriteMode } from '../../support/http/shop.js';
import { digestItems } from '../../support/models/site-digest.js';
import {
  asCsv,
  asJsonLines,
  BUNDLES,
  GOOD,
  MIXED,
  STORED,
  WHOLE_CATALOG,
} from '../../support/models/whole-file-rows.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CSV = asCsv(MIXED);
const JSON_LINES = asJsonLines(MIXED);
const TRIALS: readonly (readonly [mode: WriteMode, name: string, content: string])[] = [
  ['insert', 'rows.csv', CSV],
  ['update', 'rows.csv', CSV],
  ['upsert', 'rows.csv', CSV],
  ['upsert', 'rows.jsonl', JSON_LINES],
  ['upsert', 'rows.json', JSON.stringify(MIXED)],
  ['upsert', 'good.csv', asCsv(GOOD)],
  ['upsert', 'bundles.jsonl', asJsonLines(BUNDLES)],
  ['upsert', 'one-chunk.csv', asCsv(MIXED.slice(-4))],
];

describe('a file that takes effect as a whole', function () {
  this.timeout(60_000);

  let world: World;
  let shop: Shop;
  let twin: Shop;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 5 });
  });
  after(() => world.stop());
  beforeEach(async () => {
    [shop, twin] = await Promise.all([newShop(), newShop()]);
  });

  async function newShop(): Promise<Shop> {
    const made = await (await world.newShop()).define(WHOLE_CATALOG);
    assert.equal((await made.bulk('insert', STORED)).status, 200);
    return made;
  }

  for (const [mode, name, content] of TRIALS) {
    it(`${name} by ${mode}: tried, then all or nothing, then as usual`, async () => {
      const before = await stateOf(shop);
      const real = await twin.importFile(name, content, { mode });
      const tried = await shop.importFile(name, content, { mode, validateOnly: true });
      assert.deepEqual(await stateOf(shop), before);
      assert.equal(tried.status, 'COMPLETED');
      assert.match(tried.message, /dry run/);
      await assertSameReport(tried, real);

      const whole = await shop.importFile(name, content, { mode, onError: 'abort' });
      await assertWhole(whole, real, before);

      // Nothing that was undone is in the way of what comes next.
      if (whole.status === 'REJECTED') {
        const usual = await shop.importFile(name, content, { mode });
        await assertSameReport(usual, real);
      }
      assert.deepEqual(await itemsOf(shop), await itemsOf(twin));
    });
  }

  it('that is tried and all or nothing is tried', async () => {
    const before = await stateOf(shop);
    const options: FileOptions = { onError: 'abort', validateOnly: true };
    const real = await twin.importFile('rows.csv', CSV);
    const tried = await shop.importFile('rows.csv', CSV, options);
    assert.equal(tried.status, 'COMPLETED');
    await assertSameReport(tried, real);
    assert.deepEqual(await stateOf(shop), before);
  });

  it('says of its rows what a request with the same rows says', async () => {
    for (const query of ['validateOnly=true', 'onError=abort']) {
      const options = query === 'onError=abort' ? { onError: 'abort' } : { validateOnly: true };
      const file = await shop.importFile('rows.jsonl', JSON_LINES, options);
      const answer = await twin.bulk('upsert', MIXED, { query });
      const [latest] = (await twin.ask('GET', '/jobs/product?limit=1')).data;
      const request = await twin.outcome(latest.id);
      assert.equal(answer.status, query === 'onError=abort' ? 422 : 200);
      const told = ({ status, reason, message, total, created, updated, unchanged, errors }: Outcome) => {
        // Rows of a request are one chunk: messages name the row that has a value where a file's name its item.
        const places = errors.map(({ row, key, column, code, value }) => ({ row, key, column, code, value }));
        return { status, reason, message, total, created, updated, unchanged, places };
      };
      assert.deepEqual(told(file), told(request));
      assert.deepEqual((await resultOf(shop, file)).told, (await resultOf(twin, request)).told);
    }
  });

  it('of attributes is tried, and is all or nothing', async () => {
    const header = 'Attribute Title,Type of Attribute\n';
    const names = Array.from({ length: 12 }, (_, at) => `A${at},SHORT TEXT\n`).join('');
    const type = { type: 'ATTRIBUTE_IMPORT' };
    const count = async (of: Shop) => (await of.ask('GET', '/api-product/v1/product/attribute?limit=100')).data.length;
    const before = await stateOf(shop);
    const bad = `${header}${names}Bad,No Type\n`;
    const real = await twin.importFile('attributes.csv', bad, {}, type);
    const tried = await shop.importFile('attributes.csv', bad, { validateOnly: true }, type);
    await assertSameReport(tried, real);
    const whole = await shop.importFile('attributes.csv', bad, { onError: 'abort' }, type);
    assert.deepEqual([whole.status, whole.created, whole.failed], ['REJECTED', 0, 1]);
    assert.deepEqual(await stateOf(shop), before);
    const good = await shop.importFile('attributes.csv', header + names, { onError: 'abort' }, type);
    assert.deepEqual([good.status, good.created], ['COMPLETED', 12]);
    assert.equal(await count(shop), await count(twin));
  });

  it('of categories is tried, and is all or nothing', async () => {
    const type = { type: 'CATEGORY_IMPORT' };
    const good = `Category Path,Order\nPaper,1\n${Array.from({ length: 12 }, (_, at) => `Paper->P${at},${at}\n`).join('')}`;
    const bad = `${good}Glue,many\n`;
    const before = await stateOf(shop);
    const real = await twin.importFile('categories.csv', bad, {}, type);
    assert.equal(real.failed, 1);
    await assertSameFailures(await shop.importFile('categories.csv', bad, { validateOnly: true }, type), real);
    const whole = await shop.importFile('categories.csv', bad, { onError: 'abort' }, type);
    assert.deepEqual([whole.status, whole.created, whole.failed], ['REJECTED', 0, 1]);
    assert.deepEqual(await stateOf(shop), before);
    const again = await shop.importFile('categories.csv', good, { onError: 'abort' }, type);
    assert.deepEqual([again.status, again.created], ['COMPLETED', real.created]);
  });

  /** Everything of a site that an import could leave behind. */
  async function stateOf({ siteId }: Shop) {
    const { db } = world;
    return {
      items: await digestItems(db, siteId),
      bundles: await db('bundle_item').where({ site_id: siteId }).count(),
      reservations: await db('item_unique_value').where({ site_id: siteId }).orderBy(['attribute_id', 'value_hash']),
      attributes: await db('attribute').where({ site_id: siteId }).orderBy('id'),
      categories: await db('category').where({ site_id: siteId }).orderBy('id'),
      definitions: await db('site').where({ id: siteId }).first('definitions_version'),
    };
  }

  async function assertWhole(whole: Outcome, real: Outcome, before: Awaited<ReturnType<typeof stateOf>>) {
    if (real.failed === 0) {
      assert.equal(whole.status, 'COMPLETED');
      await assertSameReport(whole, real);
      return;
    }
    assert.deepEqual([whole.status, whole.reason], ['REJECTED', 'ROWS_FAILED']);
    assert.deepEqual([whole.created, whole.updated, whole.unchanged], [0, 0, 0]);
    assert.deepEqual(await stateOf(shop), before);
    await assertSameFailures(whole, real);
    const { success, failed, count, itemIds } = await shop.result(whole.id);
    assert.deepEqual([success, itemIds, count, failed.length], [[], [], whole.total, whole.total]);
  }

  async function assertSameReport(got: Outcome, real: Outcome): Promise<void> {
    const counts = ({ total, created, updated, unchanged }: Outcome) => ({ total, created, updated, unchanged });
    assert.deepEqual(counts(got), counts(real));
    await assertSameFailures(got, real);
    assert.deepEqual(await resultOf(shop, got), await resultOf(twin, real));
  }

  async function assertSameFailures(got: Outcome, real: Outcome): Promise<void> {
    assert.equal(got.failed, real.failed);
    assert.deepEqual(got.errors, real.errors);
    assert.deepEqual(got.summary, real.summary);
    assert.deepEqual(await errorFileOf(shop, got), await errorFileOf(twin, real));
  }

  /** All that items are, but for when they were written and where. */
  async function itemsOf(of: Shop) {
    const items = await of.items();
    return items.map(({ sku, status, nodeName, parentSku, attributes }) => ({
      sku,
      status,
      nodeName,
      parentSku,
      attributes,
    }));
  }

  /** What came of each row, but for the ids of items. */
  async function resultOf(of: Shop, { id }: Outcome) {
    const { success, failed, attributes } = await of.result(id);
    const told = (attributes?.success ?? success).map(
      (row: { sku?: string; name?: string; message: string }) => `${row.sku ?? row.name} ${row.message}`,
    );
    return { told, failed: attributes?.failed ?? failed };
  }

  async function errorFileOf(of: Shop, { id, errorFile }: Outcome): Promise<string | null> {
    return errorFile === null ? null : (await of.download(errorFile)).bytes.toString().replaceAll(id, 'the job');
  }
});
