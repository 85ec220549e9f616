/** A file of a feed makes one job, whatever happens to the workers. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const FILES = 20;
/** Messages of a run after which its worker is killed; which they are is random. */
const KILLS = 3;

describe('each file of a feed', function () {
  this.timeout(120_000);

  forEachBackend((backend) => {
    let folders: FeedFolder;
    let environment: Record<string, string>;
    let world: World;
    let shop: Shop;
    let folder: ShopFolder;
    before(async () => {
      folders = await makeFeedFolder();
      environment = {
        FEED_FOLDERS: folders.allowed,
        RECONCILE_MS: '250',
        WORKER_LOCK_MS: '1000',
        WORKER_STALLED_MS: '500',
      };
      world = await startWorld({ redisUrl: backend.redisUrl, files: 'in a folder', environment });
    });
    after(async () => {
      await world.stop();
      await folders.remove();
    });
    beforeEach(async () => {
      shop = await world.newShop();
      const workers = await world.startWorkers({}, ['bulk']);
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
      await workers.stop();
      folder = await folders.of(shop);
    });

    it('makes one job, though files come at random times and one of two workers is killed', async () => {
      const schedule = { cron: '* * * * *', timeZone: 'UTC' };
      const { id } = await folder.make({ schedule, afterwards: { moveTo: 'done' } });
      const programs = await Promise.all([1, 2].map(() => startWorkerProcess(world, environment)));
      try {
        const dueAgain = async () => {
          await world.db('feed').where({ id }).update({ next_run_at: world.db.fn.now() });
        };
        for (let number = 0; number < FILES; number++) {
          await folder.putItem(`S${number}`);
          await dueAgain();
          await delay(Math.random() * 100);
          if (number === FILES / 2) await programs[0]?.stop('SIGKILL');
        }
        const taken = async () => (await folder.files(id)).filter(({ clearedAt }) => clearedAt !== null).length;
        await until(
          'all files were taken and moved',
          async () => {
            if ((await taken()) === FILES) return true;
            await dueAgain();
            return false;
          },
          60_000,
        );
        await until('all items are there', async () => (await shop.items()).length === FILES, 30_000);
      } finally {
        await world.db('feed').where({ id }).update({ state: 'PAUSED' });
        for (const program of programs) await program.stop('SIGKILL');
      }
      const names = Array.from({ length: FILES }, (_, number) => `S${number}.csv`).sort();
      assert.deepEqual((await folder.imports()).map(({ inputFileName }) => inputFileName).sort(), names);
      assert.deepEqual([await folder.names(), await folder.names('done')], [[], names]);
    });

    it('makes one job when the worker is killed at any message to the database, and is moved in the end', async () => {
      const { id } = await folder.make({ afterwards: { moveTo: 'done' } });
      const NEVER = Number.MAX_SAFE_INTEGER;
      let number = 0;
      const dropped = async () => {
        const name = `K${number++}.csv`;
        await folder.putItem(name.replace('.csv', ''), name);
        const { status, body, text } = await shop.call('POST', `/feeds/${id}/actions/run`);
        assert.equal(status, 202, text);
        await world.services.producer
          .queues()
          .find((queue) => queue.name === 'feed-run')
          ?.obliterate({ force: true });
        return { name, entries: [{ queue: 'feed', payload: { jobId: body.jobId as string, dispatch: 1 } }] as const };
      };
      const undisturbed = await dropped();
      const { messages } = await runDoomed(world.services, undisturbed.entries, { at: NEVER, lose: 'unsent' });
      assert.ok(messages > 10, `${messages} messages`);
      const workers = await world.startWorkers({}, ['bulk']);
      const moments = Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * messages));
      for (const [time, at] of moments.entries()) {
        const { name, entries } = await dropped();
        await runDoomed(world.services, entries, { at, lose: time % 2 === 0 ? 'unsent' : 'unanswered' });
        await untilDoomedIsGone(world.db);
        const config = { ...world.services.config, reconcileGraceMs: 0 };
        const second = await world.startWorkers({}, ['export']);
        await reconcile({ ...world.services, config });
        const [step] = entries;
        const ended = async () =>
          (await world.db('job').where({ id: step.payload.jobId }).whereNotNull('completed_at')).length === 1;
        await until(`the run ends that was killed at message ${at}`, ended, 30_000);
        await second.stop();
        const files = (await folder.files(id)).filter((file) => file.name === name);
        assert.deepEqual([files.length, await folder.names()], [1, []], `killed at message ${at} of ${messages}`);
      }
      await until(
        'all jobs have ended',
        async () => (await folder.imports()).every(({ completedAt }) => completedAt !== null),
        30_000,
      );
      await workers.stop();
      assert.equal((await folder.imports()).length, number);
      assert.equal((await folder.names('done')).length, number);
    });
  });
});
