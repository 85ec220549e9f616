/** A destination whose worker is killed: each file comes once by name, whole, and no change is left out. */
import assert from 'node:assert/strict';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** Messages of a run after which its worker is killed, spread over all of them; which they are is random. */
const KILLS = 5;

describe('a destination whose worker is killed', function () {
  this.timeout(120_000);

  forEachBackend((backend) => {
    let folders: FeedFolder;
    let environment: Record<string, string>;
    let world: World;
    let shop: Shop;
    let folder: ShopFolder;
    let number: number;
    before(async () => {
      folders = await makeFeedFolder();
      environment = {
        ...{ FEED_FOLDERS: folders.allowed },
        ...{ RECONCILE_MS: '250', WORKER_LOCK_MS: '1000', WORKER_STALLED_MS: '500' },
      };
      world = await startWorld({ redisUrl: backend.redisUrl, files: 'in a folder', environment });
      await world.startWorkers({}, ['bulk']);
    });
    after(async () => {
      await world.stop();
      await folders.remove();
    });
    beforeEach(async () => {
      shop = await world.newShop();
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] }, mapping: { title: 'Title' } });
      folder = await folders.of(shop);
      number = 0;
      await put();
    });
    afterEach(() => world.db('feed').delete());

    const put = () => shop.bulk('upsert', [{ sku: `S${number++}`, nodeName: 'Shelf', attributes: { Title: 'x' } }]);
    const started = async (id: string) => {
      const { status, body, text } = await shop.call('POST', `/feeds/${id}/actions/run`);
      assert.equal(status, 202, text);
      return body.jobId as string;
    };
    const untilOver = (jobId: string, what: string) =>
      until(
        what,
        async () => (await world.db('job').where({ id: jobId }).whereNotNull('completed_at')).length === 1,
        30_000,
      );

    it('writes each file once by name when that happens at any message to the database', async () => {
      const { id } = await folder.makeDestination({ content: 'DELTA', keep: 100 });
      const doomedRun = async () => {
        const jobId = await started(id);
        const queues = world.services.producer.queues();
        await queues.find(({ name }) => name === 'feed-run')?.obliterate({ force: true });
        return [{ queue: 'feed', payload: { jobId, dispatch: 1 } }] as const;
      };
      // The first is whole; of the second, which is not, the messages are counted.
      await runDoomed(world.services, await doomedRun(), { at: Number.MAX_SAFE_INTEGER, lose: 'unsent' });
      await put();
      const { messages } = await runDoomed(world.services, await doomedRun(), {
        at: Number.MAX_SAFE_INTEGER,
        lose: 'unsent',
      });
      assert.ok(messages > 10, `${messages} messages`);
      const share = messages / KILLS;
      for (let time = 0; time < KILLS; time++) {
        const at = 1 + Math.floor((time + Math.random()) * share);
        await put();
        const [step] = await doomedRun();
        await runDoomed(world.services, [step], { at, lose: time % 2 === 0 ? 'unsent' : 'unanswered' });
        await untilDoomedIsGone(world.db);
        const second = await world.startWorkers({}, ['export']);
        const config = { ...world.services.config, reconcileGraceMs: 0 };
        await reconcile({ ...world.services, config });
        await untilOver(step.payload.jobId, `the run ends that was killed at message ${at} of ${messages}`);
        await second.stop();
      }
      const names = await folder.names();
      assert.equal(names.length, KILLS + 2, names.join(', '));
      const found = await Promise.all(names.map((name) => folder.read(name)));
      const skus = found.map((text) => [...text.matchAll(/^PRIMARY->Shelf,(\w+),/gm)].map(([, sku]) => sku));
      assert.deepEqual(
        skus,
        names.map((_, index) => [`S${index}`]),
        'each change is in one file, in their order',
      );
      assert.equal((await world.db('feed_output').whereNotNull('storage_key')).length, 0);
    });
  });
});
