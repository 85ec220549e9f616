/** An archive that is imported into a stage with something in it: its differences first, and what was approved after that. */
import assert from 'node:assert/strict';
import { createToken } from '../../../src/domain/access/tokens.js';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Answer } from '../../support/http/call-api.js';
import { Shop } from '../../support/http/shop.js';
import {
  archiveWith,
  contentOf,
  exportStage,
  importStage,
  type StageArchive,
  settled,
} from '../../support/http/stages.js';
import { fillStage } from '../../support/models/full-stage.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const WAIT = { headers: { prefer: 'wait=25' } };

onOneBackend((backend) => {
  describe('the archive of a stage, imported into a filled one', function () {
    this.timeout(180_000);
    let world: World;
    let archive: StageArchive;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, workers: true, chunkRows: 2 });
      const shop = await world.newShop();
      await fillStage(shop);
      archive = await exportStage(shop);
    });
    after(() => world.stop());

    /** A stage like that of the archive in which everything was changed. */
    async function changedStage(): Promise<Shop> {
      const shop = await world.newShop();
      assert.equal((await importStage(shop, archive.bytes)).status, 'COMPLETED');
      const made = await shop.bulkAttributes([
        { name: 'Title', type: 'TEXT', description: 'changed', action: 'UPDATE' },
        { name: 'Besides', type: 'TEXT' },
      ]);
      assert.deepEqual(made.body.attributes.failed, []);
      await world.db('attribute').where({ site_id: shop.siteId, name: 'Text' }).update({ position: 1000 });
      const categories = await shop.bulkCategories([
        {
          path: 'Helmets',
          order: 9,
          active: true,
          itemAttributes: [{ name: 'Title' }, { name: 'On' }, { name: 'Besides' }],
        },
        { path: 'Alone', itemAttributes: [{ name: 'Title' }] },
        { path: 'New season', type: 'ALTERNATE' },
      ]);
      assert.deepEqual(categories.body.categories.failed, []);
      const rows = await shop.bulk('upsert', [
        {
          sku: 'parent',
          attributes: { Title: 'changed', Text: null },
          alternateCategories: ['New season'],
          channels: [7],
        },
        { sku: 'variant', attributes: { Text: 'its own', Code: 'extra' } },
        { sku: 'off', alternateCategories: ['2026'], channels: [2] },
        { sku: 'set', bundleItems: [{ sku: 'off', quantity: 9 }] },
        { sku: 'stays', nodeName: 'Alone', attributes: { Title: 'is not in the archive' } },
      ]);
      assert.deepEqual(rows.body.failed, []);
      await shop.ask('PATCH', '/site-settings', { body: { aliases: { Title: ['Name'], Colour: null } } });
      const profile = { fileType: 'ITEM_IMPORT', columns: [{ to: 'SKU', from: 'Nummer' }] };
      await shop.ask('PUT', `/import-profiles/${encodeURIComponent('Händler')}`, { body: { profile } });
      const [one, two] = await shop.ask('GET', '/api/v2/webhook');
      await shop.ask('PATCH', `/api/v2/webhook/${one.webhookId}`, {
        body: { rateLimit: 1, targetApiKey: 'of the stage' },
      });
      await shop.ask('DELETE', `/api/v2/webhook/${two.webhookId}`);
      return shop;
    }

    /** The same account with another token. */
    async function approver(shop: Shop): Promise<Shop> {
      const { token } = await createToken(world.db, { accountId: shop.account, name: 'approves' });
      return new Shop(world.api, shop.account, token, shop.siteId);
    }
    async function approve(shop: Shop, jobId: string): Promise<Answer['body']> {
      const { status, text } = await (await approver(shop)).post(`/jobs/${jobId}/actions/approve`, {});
      assert.ok(status < 300, text);
      return settled(shop, jobId);
    }

    it('waits for an approval with its differences, and writes nothing before', async () => {
      const shop = await changedStage();
      const before = contentOf(await exportStage(shop));
      const job = await importStage(shop, archive.bytes);
      assert.equal(job.status, 'AWAITING_APPROVAL', JSON.stringify(job));
      assert.match(job.statusMessage, /create or change \d+ definitions and change or delete 5 rows/);
      assert.deepEqual(contentOf(await exportStage(shop)), before);
      const { data } = await shop.ask('GET', `/jobs/${job.id}/changes?limit=1000`);
      const changed = data
        .filter((one: { kind: string }) => one.kind === 'item')
        .map((one: { sku: string }) => one.sku);
      assert.deepEqual(changed.sort(), ['draft', 'off', 'parent', 'set', 'variant']);
      assert.ok(data.some((one: { kind: string }) => one.kind === 'attribute'));
      assert.deepEqual([job.archive.items.notInArchive, job.archive.attributes.notInArchive], [1, 1]);
      assert.equal(job.archive.settings, 'CHANGED');
      assert.equal((await shop.post(`/jobs/${job.id}/actions/approve`, {})).status, 403, 'not by who has sent it');
      const ended = await approve(shop, job.id);
      assert.deepEqual([ended.status, ended.progressTracker.errorCount], ['COMPLETED', 0], JSON.stringify(ended));
      await equalsArchive(shop);
    });

    /** What a job has changed around the catalog, or would change. What it creates gets another id when it is written. */
    async function aroundOf(shop: Shop, jobId: string): Promise<object[]> {
      const { data } = await shop.ask('GET', `/jobs/${jobId}/changes?limit=1000&types=profile,settings,webhook`);
      return data.map(({ kind, operation, definition: { name, before, after } }: Answer['body']) =>
        JSON.stringify({ kind, operation, name, before, after }),
      );
    }

    it('shows before it is approved what it then changes around the catalog, and so does its revert', async () => {
      const shop = await changedStage();
      const dry = await importStage(shop, archive.bytes, { validateOnly: true });
      const job = await importStage(shop, archive.bytes);
      const [asDry, asPreview] = [await aroundOf(shop, dry.id), await aroundOf(shop, job.id)];
      const { definitions } = await shop.ask('GET', `/jobs/${job.id}/changes/summary`);
      await approve(shop, job.id);
      const done = await aroundOf(shop, job.id);
      assert.equal(done.length, 4, done.join('\n'));
      assert.deepEqual(asPreview, done);
      assert.deepEqual(asDry, done);
      assert.deepEqual((await shop.ask('GET', `/jobs/${job.id}/changes/summary`)).definitions, definitions);
      assert.deepEqual(await aroundOf(shop, dry.id), done, 'the dry run stays what it was');

      const revert = async (options: object) =>
        settled(shop, (await shop.post(`/jobs/${job.id}/actions/revert`, options)).body.jobId);
      const trial = await revert({ validateOnly: true });
      const waiting = await revert({ requireApproval: true });
      assert.equal(waiting.status, 'AWAITING_APPROVAL', JSON.stringify(waiting));
      const [asTrial, asWaiting] = [await aroundOf(shop, trial.id), await aroundOf(shop, waiting.id)];
      assert.equal((await approve(shop, waiting.id)).status, 'COMPLETED');
      const undone = await aroundOf(shop, waiting.id);
      assert.equal(undone.length, 4, undone.join('\n'));
      assert.deepEqual(asWaiting, undone);
      assert.deepEqual(asTrial, undone);
      const refused = await shop.post(`/jobs/${trial.id}/actions/revert`, {});
      assert.equal(refused.status, 409, 'what was shown was not changed');
      const redone = await revert({ validateOnly: true });
      assert.deepEqual(await aroundOf(shop, redone.id), [], 'what was taken back is taken back once');
    });

    it('is refused after the approval when what is around the catalog was changed meanwhile', async () => {
      const shop = await changedStage();
      const [hook] = await shop.ask('GET', '/api/v2/webhook');
      const changes: readonly (() => Promise<unknown>)[] = [
        () => shop.ask('PATCH', '/site-settings', { body: { aliases: { Title: ['Called'] } } }),
        () => shop.ask('DELETE', `/import-profiles/${encodeURIComponent('Händler')}`),
        () => shop.ask('PATCH', `/api/v2/webhook/${hook.webhookId}`, { body: { rateLimit: 2 } }),
      ];
      for (const change of changes) {
        const job = await importStage(shop, archive.bytes);
        await change();
        const before = contentOf(await exportStage(shop));
        const ended = await approve(shop, job.id);
        assert.deepEqual([ended.status, ended.reason], ['REJECTED', 'CHANGED_SINCE_PREVIEW'], JSON.stringify(ended));
        assert.match(ended.statusMessage, /profiles, settings or webhook definitions/);
        assert.deepEqual(contentOf(await exportStage(shop)), before);
      }
    });

    it('changes nothing when it is rejected, or a dry run', async () => {
      const shop = await changedStage();
      const before = contentOf(await exportStage(shop));
      const job = await importStage(shop, archive.bytes);
      assert.equal((await shop.post(`/jobs/${job.id}/actions/reject`, { note: 'no' })).status, 200);
      assert.equal((await settled(shop, job.id)).status, 'REJECTED');
      const dry = await importStage(shop, archive.bytes, { validateOnly: true });
      assert.deepEqual([dry.status, dry.progressTracker.updatedCount], ['COMPLETED', 5], JSON.stringify(dry));
      assert.equal(dry.archive.items.notInArchive, 1);
      assert.deepEqual(contentOf(await exportStage(shop)), before);
    });

    it('is refused after the approval when definitions were changed meanwhile', async () => {
      const shop = await changedStage();
      const job = await importStage(shop, archive.bytes);
      await shop.define({ attributes: ['Later'] });
      const before = contentOf(await exportStage(shop));
      const ended = await approve(shop, job.id);
      assert.deepEqual([ended.status, ended.reason], ['REJECTED', 'CHANGED_SINCE_PREVIEW']);
      assert.deepEqual(contentOf(await exportStage(shop)), before);
    });

    it('writes nothing when an item was changed meanwhile', async () => {
      const shop = await changedStage();
      const job = await importStage(shop, archive.bytes);
      await shop.bulk('update', [{ sku: 'off', attributes: { Title: 'meanwhile' } }]);
      const before = contentOf(await exportStage(shop));
      const ended = await approve(shop, job.id);
      assert.deepEqual([ended.status, ended.reason], ['REJECTED', 'ROWS_FAILED']);
      const errors = await shop.errors(job.id);
      assert.deepEqual(
        errors.map(({ row, key, code }) => [row, key, code]),
        [[2, 'off', 'CHANGED_SINCE_PREVIEW']],
      );
      assert.match(errors[0]?.message ?? '', /^items\.jsonl row 2: /);
      assert.deepEqual(contentOf(await exportStage(shop)), before);
    });

    it('of the same stage changes nothing, and needs no approval for that', async () => {
      const shop = await world.newShop();
      await importStage(shop, archive.bytes);
      const job = await importStage(shop, archive.bytes);
      assert.deepEqual([job.status, job.progressTracker.unchangedCount], ['COMPLETED', 5], JSON.stringify(job));
    });

    it('is taken back by a revert as a whole, and given back by the revert of that', async () => {
      const shop = await changedStage();
      const before = await stageOf(shop);
      const job = await importStage(shop, archive.bytes);
      await approve(shop, job.id);
      const { profiles, webhooks, settings } = job.archive;
      assert.deepEqual(
        [profiles.updated, webhooks.updated, webhooks.created, settings],
        [1, 1, 1, 'CHANGED'],
        JSON.stringify(job.archive),
      );
      const imported = await stageOf(shop);
      for (const name of ['import-profiles.jsonl', 'settings.jsonl', 'webhooks.jsonl', 'items.jsonl']) {
        assert.notEqual(imported.files.get(name), before.files.get(name), name);
      }
      const trial = await shop.post(`/jobs/${job.id}/actions/revert`, { validateOnly: true }, WAIT);
      const revert = await shop.post(`/jobs/${job.id}/actions/revert`, {}, WAIT);
      assert.equal(revert.body.status, 'COMPLETED', revert.text);
      const counted = ({ warnings, progressTracker: { updatedAt: _, ...counts } }: Answer['body']) => [
        warnings,
        counts,
      ];
      assert.deepEqual(counted(trial.body), counted(revert.body));
      assert.deepEqual(revert.body.warnings, []);
      equals(await stageOf(shop), before);
      const again = await shop.post(`/jobs/${revert.body.id}/actions/revert`, {}, WAIT);
      assert.equal(again.body.status, 'COMPLETED', again.text);
      equals(await stageOf(shop), imported);
    });

    it('into an empty stage is taken back as a whole, so that the next one needs no approval', async () => {
      const shop = await world.newShop();
      const job = await importStage(shop, archive.bytes);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      const asked = await shop.post(`/jobs/${job.id}/actions/revert`, { requireApproval: true });
      const preview = await settled(shop, asked.body.jobId);
      assert.deepEqual([preview.status, preview.warnings], ['AWAITING_APPROVAL', []]);
      const revert = await approve(shop, preview.id);
      assert.deepEqual([revert.status, revert.progressTracker.errorCount], ['COMPLETED', 0], JSON.stringify(revert));
      const { files } = await exportStage(shop);
      for (const [name, text] of files) if (name !== 'manifest.json') assert.equal(text, '', name);
      const next = await importStage(shop, archive.bytes);
      assert.equal(next.status, 'COMPLETED', JSON.stringify(next));
      assert.deepEqual(contentOf(await exportStage(shop)), contentOf(archive));
    });

    it('of which nothing but what is around items and definitions was written is taken back', async () => {
      const shop = await world.newShop();
      await importStage(shop, archive.bytes);
      await shop.ask('PATCH', '/site-settings', { body: { aliases: { Title: ['Name'] } } });
      const before = contentOf(await exportStage(shop));
      const job = await approve(shop, (await importStage(shop, archive.bytes)).id);
      assert.deepEqual([job.status, job.archive.settings], ['COMPLETED', 'CHANGED'], JSON.stringify(job));
      const { body } = await shop.post(`/jobs/${job.id}/actions/revert`, {}, WAIT);
      assert.deepEqual([body.status, body.progressTracker.updatedCount], ['COMPLETED', 1], JSON.stringify(body));
      assert.deepEqual(contentOf(await exportStage(shop)), before);
    });

    /** All that a stage has, with the ids, places and positions that archives leave out. */
    async function stageOf(shop: Shop) {
      // The status of items follows from definitions, in a job of its own.
      const open = () => world.db('job').where({ site_id: shop.siteId, completed_at: null }).first('id');
      await until('all jobs of the stage have ended', async () => (await open()) === undefined, 20_000);
      const { files } = await exportStage(shop);
      const of = (table: string) => world.db(table).where({ site_id: shop.siteId });
      return {
        files,
        items: await of('item')
          .orderBy('sku')
          .select('sku', 'row_no', 'type', 'status', 'node_id', 'parent_sku', 'channels', 'attributes', 'created_at'),
        attributes: await of('attribute').orderBy('id').select('id', 'name', 'type', 'position', 'definition'),
        categories: await of('category')
          .orderBy('id')
          .select('id', 'node_id', 'parent_id', 'tree', 'name', 'path', 'sort_order', 'active'),
        assignments: await world
          .db('category_attribute')
          .whereIn('category_id', of('category').select('id'))
          .orderBy(['category_id', 'attribute_id'])
          .select('category_id', 'attribute_id', 'mandatory', 'position'),
        mappings: await of('attribute_mapping').orderBy('mapping').select('mapping', 'attribute_id', 'required'),
        profiles: await of('import_profile').orderBy('id').select('id', 'name'),
        webhooks: await of('webhook_definition')
          .orderBy('id')
          .select('id', 'status', 'secret', 'target_api_key', 'headers', 'header_hints', 'disabled_reason'),
      };
    }

    /** But for the time and the cursor of the archives. */
    function equals(one: Awaited<ReturnType<typeof stageOf>>, other: typeof one): void {
      const { files, ...rows } = one;
      for (const [name, text] of other.files) if (name !== 'manifest.json') assert.equal(files.get(name), text, name);
      const { files: _, ...expected } = other;
      assert.deepEqual(rows, expected);
    }

    it('of which a row fails writes nothing, and says where in the archive that row is', async () => {
      const shop = await changedStage();
      const before = contentOf(await exportStage(shop));
      const items = (archive.files.get('items.jsonl') ?? '').replace('"Colour":"red"', '"Colour":"green"');
      const wrong = await archiveWith(archive, { 'items.jsonl': items });
      for (const options of [{}, { validateOnly: true }]) {
        const job = await importStage(shop, wrong, options);
        const errors = await shop.errors(job.id);
        assert.deepEqual(
          errors.map(({ row, key, code }) => [row, key, code]),
          [[3, 'parent', 'VALUE_NOT_IN_OPTIONS']],
        );
        assert.match(errors[0]?.message ?? '', /^items\.jsonl row 3: /);
        if (options.validateOnly === undefined) assert.deepEqual([job.status, job.reason], ['REJECTED', 'ROWS_FAILED']);
      }
      const attributes = (archive.files.get('attributes.jsonl') ?? '').replace('"type":"SERIAL"', '"type":"STRANGE"');
      const refused = await importStage(shop, await archiveWith(archive, { 'attributes.jsonl': attributes }));
      assert.deepEqual([refused.status, refused.reason], ['REJECTED', 'DEFINITIONS_NOT_CREATED']);
      assert.match(refused.statusMessage, /attributes\.jsonl row 5/);
      assert.deepEqual(contentOf(await exportStage(shop)), before);
    });

    it('is retried with an approval, whatever the stage was before', async () => {
      const shop = await changedStage();
      const job = await importStage(shop, archive.bytes);
      await shop.post(`/jobs/${job.id}/actions/reject`, {});
      const retry = await shop.post(`/jobs/${job.id}/actions/retry`, {});
      assert.equal(retry.status, 202, retry.text);
      const waiting = await settled(shop, retry.body.jobId);
      assert.equal(waiting.status, 'AWAITING_APPROVAL', JSON.stringify(waiting));
      assert.equal((await approve(shop, waiting.id)).status, 'COMPLETED');
      await equalsArchive(shop);
    });

    /** The stage has all of the archive, and what it had besides. */
    async function equalsArchive(shop: Shop): Promise<void> {
      const { files } = await exportStage(shop);
      for (const [name, text] of archive.files) {
        // A number that was given here is not given again.
        if (['manifest.json', 'settings.jsonl', 'serials.jsonl'].includes(name)) continue;
        const lines = new Set((files.get(name) ?? '').split('\n'));
        for (const line of text.split('\n')) assert.ok(lines.has(line), `${name}: ${line}\n${[...lines].join('\n')}`);
      }
      const [kept, wanted] = [files, archive.files].map((one) => JSON.parse(one.get('settings.jsonl') ?? ''));
      assert.deepEqual(kept, wanted);
      const names = (of: ReadonlyMap<string, string>) =>
        (of.get('attributes.jsonl') ?? '')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).name);
      assert.deepEqual(names(files), [...names(archive.files), 'Besides'], 'the order of attributes');
      assert.ok((await shop.item('stays')) !== undefined);
    }
  });
});
