/** Declares what must hold of every stage: its archive makes an equal stage of an empty one, and of a filled one after an approval. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createToken } from '../../../src/domain/access/tokens.js';
import { Shop } from '../../support/http/shop.js';
import { contentOf, exportStage, importStage, type StageArchive, settled } from '../../support/http/stages.js';
import { randomCatalog } from '../../support/models/random-catalog.js';
import { startWorld, type World } from '../../support/worlds/world.js';
import { fill } from '../exports/round-trips.trials.js';

export function runStageTrials({ runs }: { readonly runs: number }): void {
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 5 });
  });
  after(() => world.stop());

  it('makes an equal one of an empty stage', async () => {
    await fc.assert(
      fc.asyncProperty(randomCatalog, async (catalog) => {
        const shop = await world.newShop();
        await fill(shop, catalog);
        const archive = await exportStage(shop);
        const other = await world.newShop();
        const job = await importStage(other, archive.bytes);
        assert.equal(job.status, 'COMPLETED', JSON.stringify([job, await other.errors(job.id)]));
        assert.deepEqual(contentOf(await exportStage(other)), contentOf(archive));
        const again = await importStage(other, archive.bytes);
        const { createdCount, updatedCount } = again.progressTracker;
        assert.deepEqual([again.status, createdCount, updatedCount], ['COMPLETED', 0, 0], JSON.stringify(again));
      }),
      { numRuns: runs },
    );
  });

  it('gives its items to a stage that was changed, after an approval, and is taken back and given back as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(randomCatalog, fc.infiniteStream(fc.nat(2)), async (catalog, choices) => {
        const shop = await world.newShop();
        await fill(shop, catalog);
        await changeAround(shop, choices);
        const archive = await exportStage(shop);
        await change(shop, archive, choices);
        await changeAround(shop, choices);
        const before = await exportStage(shop);
        const job = await importStage(shop, archive.bytes);
        const ended = job.status === 'AWAITING_APPROVAL' ? await approved(shop, job.id) : job;
        assert.equal(ended.status, 'COMPLETED', JSON.stringify([ended, await shop.errors(job.id)]));
        const imported = await exportStage(shop);
        const { files } = imported;
        assert.equal(files.get('items.jsonl'), archive.files.get('items.jsonl'));
        assert.equal(files.get('categories.jsonl'), archive.files.get('categories.jsonl'));
        assert.equal(files.get('attributes.jsonl'), archive.files.get('attributes.jsonl'));
        if (job.status !== 'AWAITING_APPROVAL') return;
        const undone = await reverted(shop, job.id);
        equals(await exportStage(shop), before);
        await reverted(shop, undone);
        equals(await exportStage(shop), imported);
      }),
      { numRuns: runs },
    );
  });

  /** Clears values and deletes items here and there. */
  async function change(shop: Shop, { files }: StageArchive, choices: Iterator<number>): Promise<void> {
    const items = (files.get('items.jsonl') ?? '').trimEnd().split('\n');
    const skus: string[] = [];
    const rows: object[] = [];
    for (const line of items) {
      const item = JSON.parse(line);
      const choice = choices.next().value;
      if (choice === 0) skus.push(item.sku);
      const attributes = Object.keys(item.attributes ?? {}).map((name) => [name, null]);
      if (choice === 1) rows.push({ sku: item.sku, attributes: Object.fromEntries(attributes), channels: [9] });
    }
    if (rows.length > 0) await shop.bulk('update', rows);
    if (skus.length === 0) return;
    await shop.post('/api-product/v1/product/bulk/delete', { skus }, { headers: { prefer: 'wait=25' } });
  }

  /** Creates, changes and deletes import profiles and webhook definitions here and there, and sets other names of columns. */
  async function changeAround(shop: Shop, choices: Iterator<number>): Promise<void> {
    const next = () => Number(choices.next().value);
    for (const name of ['One', 'Two']) {
      const [choice, from] = [next(), `Column ${next()}`];
      const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from }] };
      const there = (await shop.get(`/import-profiles/${name}`)).status === 200;
      if (choice === 0) continue;
      if (!there) await shop.ask('POST', '/import-profiles', { body: { name, profile } });
      else if (choice === 1) await shop.ask('PUT', `/import-profiles/${name}`, { body: { profile } });
      else await shop.ask('DELETE', `/import-profiles/${name}`);
    }
    const held: { target: string; webhookId: string }[] = await shop.ask('GET', '/api/v2/webhook');
    for (const target of ['https://example.com/1', 'https://example.com/2']) {
      const [choice, rateLimit] = [next(), next() + 1];
      const id = held.find((one) => one.target === target)?.webhookId;
      const body = { protocol: 'HTTPS', source: 'CATALOG', events: ['ITEM_UPDATED'], target, rateLimit };
      if (choice === 0) continue;
      if (id === undefined) await shop.ask('POST', '/api/v2/webhook', { body });
      else if (choice === 1) await shop.ask('PATCH', `/api/v2/webhook/${id}`, { body: { rateLimit } });
      else await shop.ask('DELETE', `/api/v2/webhook/${id}`);
    }
    const aliases = { SKU: [`Alias ${next()}`] };
    if (next() > 0) await shop.ask('PATCH', '/site-settings', { body: { aliases } });
  }

  /** @returns the id of the job that has taken another one back */
  async function reverted(shop: Shop, jobId: string): Promise<string> {
    const asked = await shop.post(`/jobs/${jobId}/actions/revert`, {});
    const job = await settled(shop, asked.body.jobId);
    assert.deepEqual([job.status, job.progressTracker.errorCount], ['COMPLETED', 0], JSON.stringify([asked.body, job]));
    return job.id;
  }

  /** But for the time and the cursor; and a number that was given is not given again. */
  function equals(one: StageArchive, other: StageArchive): void {
    for (const [name, text] of other.files) {
      if (name !== 'manifest.json' && name !== 'serials.jsonl') assert.equal(one.files.get(name), text, name);
    }
  }

  async function approved(shop: Shop, jobId: string): Promise<Awaited<ReturnType<typeof settled>>> {
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'approves' });
    const other = new Shop(world.api, shop.account, token, shop.siteId);
    const { status, text } = await other.post(`/jobs/${jobId}/actions/approve`, {});
    assert.ok(status < 300, text);
    return settled(shop, jobId);
  }
}
