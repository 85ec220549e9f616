/** Queues on Postgres beside clocks that are wrong: their times are those of the database. */
import assert from 'node:assert/strict';
import { untilEnded } from '../../support/http/until-ended.js';
import { type MovedWorkers, startMovedWorkers } from '../../support/worlds/moved-workers.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const MINUTE_MS = 60_000;

describe('a queue on Postgres', function () {
  this.timeout(60_000);
  let world: World;
  let workers: MovedWorkers | undefined;
  before(async () => {
    world = await startWorld({ redisUrl: null });
  });
  afterEach(() => workers?.stop());
  after(() => world.stop());

  for (const movedMs of [5 * MINUTE_MS, -5 * MINUTE_MS]) {
    it(`has the times of the database where the clock of a worker is ${movedMs / MINUTE_MS} minutes ahead`, async () => {
      const shop = await world.newShop();
      workers = startMovedWorkers([movedMs], world.api.environment);
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] } });
      const rows = Array.from({ length: 20 }, (_, number) => ({ sku: `S${number}`, nodeName: 'Shelf' }));
      const jobId = await shop.upload('items.json', JSON.stringify(rows));
      await untilEnded(shop, jobId);
      const times = ['added_at_ms', 'processed_at_ms', 'finished_at_ms', 'locked_until_ms'];
      const wrong = times.map((time) => `abs(${time} - extract(epoch FROM now()) * 1000) > ${2 * MINUTE_MS}`);
      const { rows: found } = await world.db.raw<{ rows: { count: string; wrong: string }[] }>(
        `SELECT count(*), count(*) FILTER (WHERE ${wrong.join(' OR ')}) AS wrong
         FROM ??.job WHERE processed_at_ms IS NOT NULL`,
        [world.services.config.queuePrefix],
      );
      assert.ok(Number(found[0]?.count) > 1, 'jobs of the queue were executed');
      assert.equal(Number(found[0]?.wrong), 0);
      const { rows: checked } = await world.db.raw<{ rows: unknown[] }>(
        `SELECT queue FROM ??.meta WHERE field = 'stalled-check'
           AND abs(value::bigint - extract(epoch FROM now()) * 1000) > ?`,
        [world.services.config.queuePrefix, 2 * MINUTE_MS],
      );
      assert.deepEqual(checked, [], 'jobs that lost their workers are looked for by the clock of the database');
    });
  }
});
