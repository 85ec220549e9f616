/** Files that a step cannot find for a while: an outage of the store is no empty file. */
import assert from 'node:assert/strict';
import type { FileStore } from '../../../src/platform/file-store.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { type BreakableStore, breakableFolder, breakableS3 } from '../../support/faults/breakable-store.js';
import { runStep } from '../../support/faults/doomed-worker.js';
import { acceptExport } from '../../support/http/exporting.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { startWorld, type Workers, type World } from '../../support/worlds/world.js';

const CSV = 'SKU,Category Node,Title\na,Disk,A\nb,Disk,B\n';

for (const [where, open] of [
  ['a folder', async () => breakableFolder()],
  ['S3', breakableS3],
] as const) {
  describe(`a file in ${where} that cannot be found`, () => {
    let store: BreakableStore;
    let world: World;
    let shop: Shop;
    let workers: Workers | undefined;
    before(async function () {
      store = await open(this);
      world = await startWorld({ environment: { STORAGE_URL: store.place } });
      workers = await world.startWorkers();
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      await workers.stop();
    });
    afterEach(() => workers?.stop());
    after(async () => {
      await world?.stop();
      await store?.close();
    });

    for (const [what, hide] of [
      ['it is missing', (key: string) => store.hideFile(key)],
      ['the store is gone', hideStore],
    ] as const) {
      it(`is not planned as an empty one while ${what}, and is imported later`, async () => {
        const { jobId, outboxEntries } = await world.acceptFile(shop, 'x.csv', CSV);
        const [step] = outboxEntries;
        assert.ok(step !== undefined);
        const { storage_key: key } = await world.db('file').where({ job_id: jobId }).first();
        const show = await hide(key);
        try {
          await assert.rejects(runStep(world.services, step));
          assert.equal((await world.db('job').where({ id: jobId }).first()).completed_at, null);
        } finally {
          await show();
        }
        workers = await world.startWorkers();
        // The first pass of the workers themselves may have come before the step was overdue.
        await reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });
        assert.equal((await untilEnded(shop, jobId)).status, 'COMPLETED');
        assert.equal((await shop.outcome(jobId)).total, 2);
      });
    }

    it('is written again when it is the file of an export, which never ends without its file', async () => {
      workers = await world.startWorkers({ fileStore: losesFirst(world.services.fileStore) });
      const jobId = await acceptExport(shop, { body: { format: 'CSV' } });
      const { status, outputFiles } = await untilEnded(shop, jobId);
      assert.equal(status, 'COMPLETED');
      const { bytes } = await world.db('file').where({ id: outputFiles[0] }).first();
      assert.equal((await shop.download(outputFiles[0])).bytes.length, bytes);
    });

    async function hideStore(): Promise<() => Promise<void>> {
      store.hide();
      return async () => store.show();
    }

    /** The first file that is written is gone after its last byte. */
    function losesFirst(store: FileStore): FileStore {
      let isFirst = true;
      return {
        ...store,
        create: async (key) => {
          const pending = await store.create(key);
          if (!isFirst) return pending;
          isFirst = false;
          const commit = async () => {
            await pending.commit();
            await store.remove(key);
          };
          return { ...pending, commit };
        },
      };
    }
  });
}
