/** What an answer with `Prefer: wait` costs the database: the worker has told how the job ended, and it is not read again. */
import assert from 'node:assert/strict';
import { connectDb, type Db } from '../../../db/connection.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PATH = '/api-product/v1/product/bulk/insert';

describe('an answer that was waited for', function () {
  this.timeout(60_000);
  forEachBackend((backend) => {
    let world: World;
    let ofWorkers: Db;
    let shop: Shop;
    const statements: string[] = [];
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      ofWorkers = connectDb({ url: world.services.config.databaseUrl, poolMax: 20, name: 'longshore-test' });
      await world.startWorkers({ db: ofWorkers });
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      // The first client opens the connection that is notified, and may have to ask whether it was too late.
      await insert('warm-up');
      world.db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
    });
    after(async () => {
      await world.stop();
      await ofWorkers.destroy();
    });
    beforeEach(() => statements.splice(0));

    function insert(sku: string, headers: Readonly<Record<string, string>> = {}) {
      const body = [{ sku, nodeName: 'Disk', attributes: { Title: sku } }];
      return shop.call('POST', PATH, { body, headers: { prefer: 'wait=30', ...headers } });
    }

    /** The tables that were read for the answer. The poll of each second, if there was one, is not for it alone. */
    const read = () =>
      statements
        .filter((sql) => !/"id" in \(/.test(sql))
        .flatMap((sql) => [...sql.matchAll(/\b(?:from|join)\s+"?(job|job_chunk|job_error|item)\b"?/gi)])
        .map(([, table]) => table);

    it('reads the ids of the items, and nothing of the job', async () => {
      const { status } = await insert('plain');
      assert.equal(status, 200);
      assert.deepEqual(
        read().filter((table) => table !== 'item'),
        [],
      );
    });

    it('reads no more when the request has an Idempotency-Key', async () => {
      const { status } = await insert('keyed', { 'idempotency-key': 'a-key' });
      assert.equal(status, 200);
      assert.ok(!read().includes('job_chunk'), statements.join('\n'));
      assert.ok(!read().includes('job_error'));
    });

    it('is read when it is asked for again by the key', async () => {
      const { status } = await insert('keyed', { 'idempotency-key': 'a-key' });
      assert.equal(status, 200);
      assert.ok(read().includes('job_chunk'));
    });
  });
});
