/** A stage of many items is exported and imported at bounded memory, and its copy is equal. */
import assert from 'node:assert/strict';
import type { Shop } from '../support/http/shop.js';
import { settled } from '../support/http/stages.js';
import { zipEntries } from '../support/models/zip-entries.js';
import { startWorld, type World } from '../support/worlds/world.js';

const ITEMS = 100_000;
const ATTRIBUTES = Array.from({ length: 40 }, (_, index) => `Attribute ${index}`);
const A_STATEMENT = 5_000;
const MIB = 1024 * 1024;
/** Unpacked, the archive is more than 200 MiB. */
const MOST_GROWTH = 120 * MIB;

describe(`the archive of a stage of ${ITEMS} items`, function () {
  this.timeout(1_800_000);
  let world: World;
  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 5_000 });
  });
  after(() => world.stop());

  it('is written at bounded memory, and makes an equal stage', async () => {
    const shop = await world.newShop();
    await shop.define({ attributes: ATTRIBUTES, categories: { Disk: ATTRIBUTES } });
    await fill(shop);
    const job = await measured('export', () => exported(shop));
    assert.ok(job.growth < MOST_GROWTH, `the process grew by ${Math.round(job.growth / MIB)} MiB`);
    const first = await archiveOf(shop, job.result);
    const other = await world.newShop();
    const imported = await measured('import', async () => {
      const jobId = await other.upload('stage.zip', first.bytes, {}, { type: 'SITE_IMPORT' });
      return settled(other, jobId);
    });
    assert.deepEqual([imported.result.status, imported.result.progressTracker.createdCount], ['COMPLETED', ITEMS]);
    const second = await archiveOf(other, await exported(other));
    assert.deepEqual(second.files, first.files);
  });

  async function fill({ siteId }: Shop): Promise<void> {
    const { node_id: nodeId } = await world.db('category').where({ site_id: siteId, name: 'Disk' }).first('node_id');
    const ids = await world.db('attribute').where({ site_id: siteId }).pluck('id');
    const members = ids.map((id: string) => `'${id}', 'a value of ' || i || ' ' || md5(i || '${id}')`);
    for (let first = 1; first <= ITEMS; first += A_STATEMENT) {
      await world.db.raw(
        `INSERT INTO item (site_id, sku, type, status, node_id, attributes)
         SELECT ?, 'sku-' || i, 'I', 'L', ?, jsonb_build_object(${members.join(', ')}) FROM generate_series(?::integer, ?) AS i`,
        [siteId, nodeId, first, first + A_STATEMENT - 1],
      );
    }
    await world.db.raw('ANALYZE item');
  }

  /** @returns the id of the archive */
  async function exported(shop: Shop): Promise<string> {
    const { body } = await shop.post('/jobs/site/actions/export', {});
    const job = await settled(shop, body.jobId);
    assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
    return job.outputFiles[0];
  }

  async function archiveOf(shop: Shop, fileId: string) {
    const { bytes } = await shop.download(fileId);
    const { files } = JSON.parse((await zipEntries(bytes)).get('manifest.json') ?? '');
    return { bytes, files };
  }
});

/** How much the memory of this process grew at most while something was done, and how long it took. */
async function measured<T>(
  what: string,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly growth: number }> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const began = performance.now();
  try {
    const result = await run();
    const growth = most - before;
    console.log(
      `      ${what}: ${Math.round((performance.now() - began) / 1000)} s, at most ${Math.round(growth / MIB)} MiB more`,
    );
    return { result, growth };
  } finally {
    clearInterval(timer);
  }
}
