/** Workers that are killed while they import an archive, jobs that are cancelled meanwhile: all of it is there once, or nothing. */
import assert from 'node:assert/strict';
import { acceptRevert } from '../../../src/domain/imports/accept-revert.js';
import { previewing } from '../../../src/domain/job-model/approval.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { contentOf, exportStage, type StageArchive, settled } from '../../support/http/stages.js';
import { fillStage } from '../../support/models/full-stage.js';
import { seededRandom } from '../../support/models/random.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

/** Every so many messages to the database one is the last, lost and unanswered in turn. */
const STEP = 17;
const NEVER = { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' } as const;
const CANCELLED = 8;
const KILLED_REVERTS = 6;
/** A number that was given is not given again. */
const NOT_EQUAL: readonly string[] = ['manifest.json', 'serials.jsonl'];
const WITHIN_MS = 20_000;

onOneBackend((backend) => {
  describe('the import of an archive that is interrupted', function () {
    this.timeout(600_000);
    let world: World;
    let archive: StageArchive;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, chunkRows: 2 });
      const workers = await world.startWorkers();
      const shop = await world.newShop();
      await fillStage(shop);
      archive = await exportStage(shop);
      await workers.stop();
      await world.startWorkers({}, [...BULK_ONLY, 'export']);
    });
    after(() => world.stop());

    const options = previewing({ onError: 'abort', validateOnly: false } as const, { unlessEmpty: true });
    const accept = (shop: Shop) => world.acceptFile(shop, 'stage.zip', archive.bytes, 'upsert', options);
    const goOn = () => reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });

    /** How much there is of a stage. */
    async function present({ siteId }: Shop): Promise<Record<string, number>> {
      const tables = ['attribute', 'category', 'item', 'import_profile', 'site_settings', 'webhook_definition'];
      const counts = tables.map((table) => world.db(table).where({ site_id: siteId }));
      return Object.fromEntries((await Promise.all(counts)).map((rows, index) => [tables[index], rows.length]));
    }
    const isNothing = (counts: Record<string, number>) => Object.values(counts).every((one) => one === 0);

    it('by a kill at any step is done once by others, and nothing of it is half there', async () => {
      const whole = await world.newShop();
      const undisturbed = await accept(whole);
      const { messages } = await runDoomed(world.services, undisturbed.outboxEntries, NEVER);
      const expected = await present(whole);
      assert.equal((await settled(whole, undisturbed.jobId)).status, 'COMPLETED');
      let nothing = 0;
      for (let at = 1, kills = 0; at <= messages; at += STEP, kills++) {
        const shop = await world.newShop();
        const { jobId, outboxEntries } = await accept(shop);
        const lose = kills % 2 === 0 ? 'unsent' : 'unanswered';
        const { cut } = await runDoomed(world.services, outboxEntries, { at, lose });
        assert.ok(cut, `message ${at} was never sent`);
        await untilDoomedIsGone(world.db);
        const counts = await present(shop);
        if (isNothing(counts)) nothing += 1;
        else assert.deepEqual(counts, expected, `half of it is there: killed at message ${at} of ${messages}`);
        await goOn();
        const job = await settled(shop, jobId);
        assert.equal(job.status, 'COMPLETED', `${at} of ${messages}: ${JSON.stringify(job)}`);
        assert.deepEqual(await present(shop), expected, `killed at message ${at} of ${messages}`);
        if (kills % 5 === 0) assert.deepEqual(contentOf(await exportStage(shop)), contentOf(archive));
      }
      assert.ok(nothing > 0);
    });

    it(`and taken back by a worker that is killed, at ${KILLED_REVERTS} of its steps, is taken back once, and can be given back`, async () => {
      const imported = async (): Promise<{ readonly shop: Shop; readonly jobId: string }> => {
        const shop = await world.newShop();
        const { jobId, outboxEntries } = await accept(shop);
        await runDoomed(world.services, outboxEntries, NEVER);
        return { shop, jobId };
      };
      const acceptUndo = async ({ shop, jobId }: Awaited<ReturnType<typeof imported>>) => {
        const id = newId();
        const request = { id, requestId: null, validateOnly: false };
        return { id, steps: await world.db.transaction((trx) => acceptRevert(trx, shop.site, [jobId], request)) };
      };
      const undisturbed = await acceptUndo(await imported());
      const { messages } = await runDoomed(world.services, undisturbed.steps, NEVER);
      let partly = 0;
      for (let kills = 0; kills < KILLED_REVERTS; kills++) {
        const at = messages - kills * Math.floor(messages / KILLED_REVERTS);
        const one = await imported();
        const { shop } = one;
        const { id, steps } = await acceptUndo(one);
        const { cut } = await runDoomed(world.services, steps, { at, lose: kills % 2 === 0 ? 'unsent' : 'unanswered' });
        // The order in which definitions and profiles are taken back is that of their ids, and one order needs a message less.
        assert.ok(cut || at === messages, `message ${at} was never sent`);
        await untilDoomedIsGone(world.db);
        const {
          import_profile: profiles = 0,
          webhook_definition: webhooks = 0,
          site_settings: versions = 0,
        } = await present(shop);
        const kept = (kind: string) => world.db('surrounding_change').where({ job_id: id, kind });
        const counts = await Promise.all(
          ['profile', 'webhook', 'settings'].map(async (kind) => (await kept(kind)).length),
        );
        assert.deepEqual([1 - profiles, 2 - webhooks, versions - 1], counts, `what is gone was kept: message ${at}`);
        if (profiles + webhooks > 0) partly += 1;
        await goOn();
        const undo = await settled(shop, id);
        assert.deepEqual([undo.status, undo.progressTracker.errorCount], ['COMPLETED', 0], JSON.stringify(undo));
        const { files } = await exportStage(shop);
        for (const [name, text] of files)
          if (name !== 'manifest.json') assert.equal(text, '', `${name}: message ${at}`);
        if (kills % 3 !== 0) continue;
        const redo = await shop.post(`/jobs/${id}/actions/revert`, {});
        assert.equal((await settled(shop, redo.body.jobId)).status, 'COMPLETED');
        const { files: again } = await exportStage(shop);
        for (const [name, text] of archive.files)
          if (!NOT_EQUAL.includes(name)) assert.equal(again.get(name), text, name);
      }
      assert.ok(partly > 0, 'some are killed before what is around the catalog is taken back');
    });

    it(`by its cancellation, at ${CANCELLED} moments, leaves nothing or has all`, async () => {
      const expected = await (async () => {
        const whole = await world.newShop();
        const { jobId, outboxEntries } = await accept(whole);
        await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
        await settled(whole, jobId);
        return present(whole);
      })();
      const random = seededRandom(1);
      for (let trial = 0; trial < CANCELLED; trial++) {
        const shop = await world.newShop();
        const { jobId, outboxEntries } = await accept(shop);
        await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
        const moment = Math.floor(random() * 5) - 1;
        await until(
          'the moment has come',
          async () => {
            const { completedAt, progressTracker } = await shop.ask('GET', `/jobs/${jobId}`);
            return completedAt !== null || progressTracker.processedCount >= moment;
          },
          WITHIN_MS,
        );
        const { status } = await shop.call('POST', `/jobs/${jobId}/actions/cancel`);
        const job = await settled(shop, jobId);
        const counts = await present(shop);
        if (job.status === 'CANCELLED') assert.ok(isNothing(counts), JSON.stringify(counts));
        else assert.deepEqual([job.status, status, counts], ['COMPLETED', 409, expected]);
      }
    });
  });
});
