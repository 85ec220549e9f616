/** A request and a file, from acceptance to result, on each engine of the queues. */
import assert from 'node:assert/strict';
import { gunzipSync, gzipSync } from 'node:zlib';
import { forEachBackend } from '../../support/for-each-backend.js';
import { places, type Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

describe('the pipeline', () => {
  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl, chunkRows: 10 });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await (await world.newShop()).define({
        attributes: ['Title', { name: 'Stock', type: 'INTEGER' }],
        categories: { Disk: ['Title', 'Stock'] },
      });
    });

    const csv = (rows: number, prefix = 's') =>
      [
        'SKU,Category Node,Stock',
        ...Array.from({ length: rows }, (_, i) => `${prefix}${i},Disk,${i % 50 === 7 ? 'x' : i}`),
      ].join('\n');

    it('answers a request with its result, and one that does not wait with its job', async () => {
      const waited = await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk' }, { sku: 'b' }]);
      assert.deepEqual([waited.status, waited.body.success.length, waited.body.failed.length], [200, 1, 1]);
      const at = Date.now();
      const { status, body, headers } = await shop.bulk('insert', [{ sku: 'c', nodeName: 'Disk' }], {
        headers: { prefer: 'respond-async' },
      });
      assert.deepEqual([status, body.status, headers.get('location')], [202, 'SCHEDULED', `/jobs/${body.jobId}`]);
      const outcome = await shop.outcome(body.jobId);
      assert.deepEqual([outcome.status, outcome.created], ['COMPLETED', 1]);
      assert.ok(Date.now() - at < 10_000);
    });

    it('imports a file of many chunks, and its error file mended', async () => {
      const outcome = await shop.importFile('items.csv.gz', gzipSync(csv(205)));
      assert.deepEqual([outcome.total, outcome.created, outcome.failed], [205, 201, 4]);
      const rows = [9, 59, 109, 159];
      assert.deepEqual(
        places(outcome),
        rows.map((row) => [row, 'Stock', 'VALUE_TYPE']),
      );
      const { name, bytes } = await shop.download(outcome.errorFile ?? '');
      const corrected = gzipSync(gunzipSync(bytes).toString().replaceAll(',x,', ',7,'));
      const again = await shop.importFile(name, corrected);
      assert.deepEqual([again.status, again.created], ['COMPLETED', 4]);
    });

    it('takes jobs of one site in the order in which they were accepted', async () => {
      const jobs: string[] = [];
      for (let time = 0; time < 6; time++) {
        const elements = Array.from({ length: 20 }, (_, i) => ({
          sku: `s${i}`,
          nodeName: 'Disk',
          attributes: { Title: `${time}` },
        }));
        const { body } = await shop.bulk('upsert', elements, { headers: { prefer: 'wait=0' } });
        jobs.push(body.jobId);
      }
      for (const job of jobs) assert.equal((await shop.outcome(job)).status, 'COMPLETED');
      assert.deepEqual(new Set(Object.values(await shop.values('Title'))), new Set(['5']));
    });

    it('lets many sites go at once', async () => {
      const shops = await Promise.all(
        Array.from({ length: 4 }, async () =>
          (await world.newShop()).define({
            attributes: [{ name: 'Stock', type: 'INTEGER' }],
            categories: { Disk: ['Stock'] },
          }),
        ),
      );
      const outcomes = await Promise.all(shops.map((one, i) => one.importFile('items.csv', csv(45, `p${i}-`))));
      assert.deepEqual(
        outcomes.map(({ created, failed }) => [created, failed]),
        shops.map(() => [44, 1]),
      );
    });

    it('stops a file that is cancelled, and what was applied stays and is counted', async () => {
      const jobId = await shop.upload('items.csv', csv(3000));
      const job = await shop.ask('POST', `/jobs/${jobId}/actions/cancel`);
      assert.ok(['CANCELLED', 'CANCELLATION_IN_PROGRESS'].includes(job.status), job.status);
      const outcome = await shop.outcome(jobId);
      assert.equal(outcome.status, 'CANCELLED');
      assert.ok(outcome.created + outcome.failed < 3000);
      const [{ count }] = (await world.db('item').where({ site_id: shop.siteId }).count()) as [{ count: string }];
      assert.equal(Number(count), outcome.created);
      const { success, failed, count: total } = await shop.result(jobId, 'offset=0&limit=1000');
      assert.equal(success.length + failed.length, Math.min(total, 1000));
    });
  });
});
