import assert from 'node:assert/strict';
import { forEachBackend } from '../../support/for-each-backend.js';
import { type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';

const ENDPOINTS = 10;
const EVENTS = 40;

describe('the statements that deliveries cost', function () {
  this.timeout(60_000);
  forEachBackend((backend) => {
    let world: DeliveryWorld;
    let receiver: Receiver;
    let statements: string[] = [];
    before(async () => {
      world = await DeliveryWorld.start({ redisUrl: backend.redisUrl, environment: { WEBHOOK_TIMEOUT_SECONDS: '30' } });
      receiver = await startReceiver();
      for (let index = 0; index < ENDPOINTS; index++) await world.hear(`${receiver.url}/${index}`);
    });
    after(async () => {
      await world.stop();
      await receiver.stop();
    });

    async function statementsOf(events: number): Promise<number> {
      await world.emit(Array.from({ length: events }, () => ({})));
      const before = receiver.received.length;
      statements = [];
      const workers = await world.jobs.startWorkers({ db: counting() }, ['webhook']);
      await until('all are received', () => receiver.received.length >= before + events * ENDPOINTS, 50_000);
      // Those in hand are recorded before it has ended.
      await workers.stop();
      assert.equal(await world.db('delivery').where({ status: 'PENDING' }).first(), undefined);
      return statements.length;
    }

    /** The engine's own pool: what the test asks is not counted. */
    function counting() {
      const { db } = world;
      const listened = db.withUserParams({});
      listened.on('query', ({ sql }: { sql: string }) => statements.push(sql));
      return listened;
    }

    it('are two at most, each, when few are due', async () => {
      const count = await statementsOf(1);
      assert.ok(count <= 2 * ENDPOINTS, `${count} statements for ${ENDPOINTS} deliveries`);
    });

    it('are far fewer when many are', async () => {
      const count = await statementsOf(EVENTS);
      assert.ok(count <= (EVENTS * ENDPOINTS) / 2, `${count} statements for ${EVENTS * ENDPOINTS} deliveries`);
    });
  });
});
