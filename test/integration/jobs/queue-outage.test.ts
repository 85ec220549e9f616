/** The queue is out of reach: work is accepted at once all the same, and carried out when the queue is back. */
import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** A client that was answered so soon did not wait for the queue. */
const AT_ONCE_MS = 1_000;

describe('a queue that is out of reach', function () {
  this.timeout(60_000);

  forEachBackend((backend) => {
    if (backend.name === 'postgres') {
      it('is a database that is out of reach, and then nothing is accepted');
      return;
    }
    let world: World;
    let shop: Shop;
    beforeEach(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl, environment: { RECONCILE_MS: '200' } });
      await world.startWorkers();
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    });
    afterEach(() => world.stop());

    it('does not keep a client waiting while it is gone, and loses nothing', async () => {
      await backend.requireRedis().kill();
      const accepted: string[] = [];
      for (let request = 0; request < 5; request++) {
        const { jobId, ms } = await bulk([item(`r${request}`)]);
        assert.ok(ms < AT_ONCE_MS, `request ${request} took ${ms} ms`);
        accepted.push(jobId);
      }
      const announced = await shop.ask('POST', '/files/product', {
        body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT' },
      });
      assert.equal((await shop.put(announced, csv(30))).status, 200);
      await backend.requireRedis().restart();
      for (const id of [...accepted, announced.jobId]) assert.equal((await shop.outcome(id)).status, 'COMPLETED');
      assert.equal((await shop.items()).length, 35);
    });

    it('does not keep more than the first waiting while it hangs', async () => {
      const redis = new Redis(backend.redisUrl ?? '');
      await redis.client('PAUSE', 8_000, 'ALL');
      redis.disconnect();
      const first = await bulk([item('first')]);
      const others = await Promise.all([bulk([item('a')]), bulk([item('b')])]);
      for (const { ms } of others) assert.ok(ms < AT_ONCE_MS, `it took ${ms} ms`);
      for (const { jobId } of [first, ...others]) assert.equal((await shop.outcome(jobId)).status, 'COMPLETED');
    });

    it('takes the jobs in hand with it when it dies, and they end when it is back', async () => {
      const jobId = await shop.upload('many.csv', csv(300));
      await until('some chunks are done', async () => (await chunksDone(jobId)) >= 10, 15_000);
      await backend.requireRedis().restart();
      await until('more are done', async () => (await chunksDone(jobId)) >= 30, 15_000);
      await backend.requireRedis().restart();
      const { status, created } = await shop.outcome(jobId);
      assert.deepEqual([status, created], ['COMPLETED', 300]);
    });

    async function bulk(rows: readonly unknown[]): Promise<{ jobId: string; ms: number }> {
      const startedAt = Date.now();
      const { status, body } = await shop.call('POST', '/api-product/v1/product/bulk/insert', { body: rows });
      assert.equal(status, 202);
      return { jobId: body.jobId, ms: Date.now() - startedAt };
    }

    async function chunksDone(jobId: string): Promise<number> {
      return (await world.db('job_chunk').where({ job_id: jobId, status: 'done' })).length;
    }
  });
});

function item(sku: string) {
  return { sku, nodeName: 'Disk', attributes: { Title: 'T' } };
}

function csv(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `c${index},Disk,T\n`);
  return `SKU,Category Node,Title\n${lines.join('')}`;
}
