/** The archive of a whole stage: what is in it, and that its parts fit together. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Shop } from '../../support/http/shop.js';
import { contentOf, exportStage } from '../../support/http/stages.js';
import { fillStage } from '../../support/models/full-stage.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the archive of a whole stage', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    await world.startWorkers();
    shop = await world.newShop();
    await fillStage(shop);
  });
  after(() => world.stop());

  it('has a manifest that says of each file what it is', async () => {
    const { name, files, manifest } = await exportStage(shop);
    assert.match(name, /^site-export-\d{4}-.*Z\.zip$/);
    assert.equal(manifest.format, 1);
    assert.deepEqual([...files.keys()], [...manifest.files.map((file) => file.name), 'manifest.json']);
    for (const file of manifest.files) {
      const bytes = Buffer.from(files.get(file.name) ?? '');
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const rows = bytes.toString().split('\n').length - 1;
      assert.deepEqual(file, { ...file, bytes: bytes.length, rows, sha256 }, file.name);
    }
    const rows = Object.fromEntries(manifest.files.map((file) => [file.kind, file.rows]));
    assert.deepEqual([rows.items, rows.categories, rows.mappings, rows.serials], [5, 7, 4, 2]);
    assert.deepEqual([rows.profiles, rows.settings, rows.webhooks], [1, 1, 2]);
  });

  it('has no secrets', async () => {
    const { bytes, files } = await exportStage(shop);
    const all = [bytes.toString('latin1'), ...files.values()].join('\n');
    for (const secret of ['a-secret-of-the-partner', 'another-secret-value', 'whsec_', 'x-team', 'partner']) {
      assert.ok(!all.includes(secret), secret);
    }
    assert.match(files.get('webhooks.jsonl') ?? '', /example\.com\/one/);
  });

  it('does not say which stage is live: a copy of production must not become it', async () => {
    const before = await exportStage(shop);
    await shop.ask('PATCH', '/site-settings', { body: { live: false } });
    assert.deepEqual(contentOf(await exportStage(shop)), contentOf(before));
  });

  it('is the same a second time, but for its time and cursor', async () => {
    const [one, other] = [await exportStage(shop), await exportStage(shop)];
    assert.deepEqual([...one.files].slice(0, -1), [...other.files].slice(0, -1));
  });

  it('has the cursor after which GET /changes has what is changed later, and nothing before', async () => {
    const { manifest } = await exportStage(shop);
    const since = encodeURIComponent(manifest.cursor);
    assert.deepEqual((await shop.ask('GET', `/changes?since=${since}`)).data, []);
    await shop.bulk('update', [{ sku: 'off', attributes: { Title: 'later' } }]);
    const { data } = await shop.ask('GET', `/changes?since=${since}`);
    assert.deepEqual(
      data.map((one: { sku: string }) => one.sku),
      ['off'],
    );
  });

  it('is refused for a part of a stage, and to tokens that may not read webhooks', async () => {
    const part = await shop.post('/jobs/site/actions/export', {}, { context: { channel: 1 } });
    assert.equal(part.status, 400);
    assert.match(part.text, /leave out the channel/);
    const reader = await world.api.newAccount(['catalog:read', 'catalog:write']);
    const answer = await world.api.fetch('/jobs/site/actions/export', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${reader.token}`,
        'x-site-context': JSON.stringify({ account: reader.account }),
      },
    });
    assert.equal(answer.status, 403);
  });

  it('of an empty stage has empty files', async () => {
    const { manifest } = await exportStage(await world.newShop());
    assert.deepEqual(new Set(manifest.files.map(({ rows }) => rows)), new Set([0]));
  });
});
