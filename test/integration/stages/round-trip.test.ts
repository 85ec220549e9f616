/** The archive of a stage makes an equal stage of an empty one. */
import assert from 'node:assert/strict';
import type { Shop } from '../../support/http/shop.js';
import { contentOf, exportStage, importStage } from '../../support/http/stages.js';
import { fillStage } from '../../support/models/full-stage.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the archive of a stage, imported into an empty one', function () {
  this.timeout(120_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await world.newShop();
    await fillStage(shop);
  });
  after(() => world.stop());

  it('makes an equal stage, whose archive has the same files byte for byte', async () => {
    const archive = await exportStage(shop);
    const other = await world.newShop();
    const job = await importStage(other, archive.bytes);
    assert.deepEqual([job.status, job.statusMessage, job.progressTracker.createdCount], ['COMPLETED', null, 5]);
    assert.deepEqual(contentOf(await exportStage(other)), contentOf(archive));
    const shown = async (one: Shop) =>
      (await one.items()).map(({ sku, status, nodeName, parentSku, channels, attributes, inherited, bundleItems }) => {
        return { sku, status, nodeName, parentSku, channels, attributes, inherited, bundleItems };
      });
    assert.deepEqual(await shown(other), await shown(shop));
    assert.deepEqual(await other.outline(), await shop.outline());
  });

  it('says what it has created', async () => {
    const job = await importStage(await world.newShop(), (await exportStage(shop)).bytes);
    const { attributes, categories, profiles, webhooks, settings, items } = job.archive;
    assert.deepEqual(
      [attributes.notInArchive, categories, items],
      [0, { created: 7, updated: 0, unchanged: 0, notInArchive: 0 }, { notInArchive: 0 }],
    );
    assert.deepEqual([profiles.created, webhooks.created, webhooks.elsewhere, settings], [1, 2, 0, 'CHANGED']);
  });

  it('leaves its webhook definitions disabled, with new secrets', async () => {
    const other = await world.newShop();
    await importStage(other, (await exportStage(shop)).bytes);
    const rows = await world.db('webhook_definition').where({ site_id: other.siteId });
    for (const {
      status,
      disabled_reason: reason,
      secret,
      target_api_key: key,
      headers,
      collects_until: until,
    } of rows) {
      assert.deepEqual([status, key, headers, until], ['DISABLED', null, null, null]);
      assert.match(reason, /copied with a stage/);
      assert.ok(secret.length > 20);
    }
    assert.equal(rows.length, 2);
  });

  it('goes on with the series where the other stage would', async () => {
    const other = await world.newShop();
    await importStage(other, (await exportStage(shop)).bytes);
    const next = async (one: Shop) => {
      const row = { sku: 'next', nodeName: 'Helmets', attributes: { Title: 'x' } };
      assert.deepEqual((await one.bulk('insert', [row])).body.failed, []);
      return (await one.item('next'))?.attributes.Number;
    };
    assert.equal(await next(other), await next(shop));
    await shop.ask('POST', '/api-product/v1/product/bulk/delete', {
      body: { skus: ['next'] },
      headers: { prefer: 'wait=25' },
    });
  });

  it('makes equal stages of one without items, and of one that is empty', async () => {
    const bare = await world.newShop();
    await bare.define({ attributes: ['Title'], categories: { A: ['Title'] } });
    const archive = await exportStage(bare);
    const other = await world.newShop();
    const job = await importStage(other, archive.bytes);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    assert.deepEqual(contentOf(await exportStage(other)), contentOf(archive));
    const empty = await importStage(await world.newShop(), (await exportStage(await world.newShop())).bytes);
    assert.equal(empty.status, 'COMPLETED', JSON.stringify(empty));
  });

  it('is copied to another stage of the account, where its webhook definitions are left out', async () => {
    const archive = await exportStage(shop);
    const job = await importStage(shop, archive.bytes, {}, { stage: 'test' });
    assert.deepEqual([job.status, job.archive.webhooks.elsewhere], ['COMPLETED', 2]);
    const copy = await exportStage(shop, { stage: 'test' });
    assert.equal(copy.files.get('items.jsonl'), archive.files.get('items.jsonl'));
    assert.equal(copy.files.get('webhooks.jsonl'), '');
  });
});
