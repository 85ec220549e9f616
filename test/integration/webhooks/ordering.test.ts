/** Deliveries of a definition with `ordering: key`, with two workers that race for them. */
import assert from 'node:assert/strict';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import type { EventRecord } from '../../../src/domain/webhooks/events/new-event.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { type Received, type Receiver, startReceiver } from '../../support/http/receiver.js';
import { until } from '../../support/until.js';
import { DeliveryWorld } from '../../support/worlds/delivery-world.js';
import { insertDefinitions } from '../../support/worlds/many-definitions.js';
import type { RunningProgram } from '../../support/worlds/run-program.js';
import { SHORT_LOCKS } from '../../support/worlds/system-world.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';

const WITHIN_MS = 60_000;
const HOUR = '3600';

describe('a definition with ordering: key', function () {
  this.timeout(120_000);
  forEachBackend((backend) => {
    let world: DeliveryWorld;
    let receiver: Receiver;
    /** How an event is answered, by its number; default 204. */
    let answers: Map<number, number>;
    /** The event that is not answered until it is released. */
    let held: number | null;
    let release: () => void;
    const running: { stop(): Promise<void> }[] = [];

    before(async () => {
      world = await DeliveryWorld.start({
        redisUrl: backend.redisUrl,
        environment: { WEBHOOK_SCHEDULE_SECONDS: `0,${HOUR}`, WEBHOOK_TIMEOUT_SECONDS: '60' },
      });
    });
    beforeEach(async () => {
      [answers, held, release] = [new Map(), null, () => undefined];
      receiver = await startReceiver((response, request) => {
        const number = numberOf(request);
        const answer = () => response.writeHead(answers.get(number) ?? 204).end();
        if (number === held) release = answer;
        else answer();
      });
    });
    afterEach(async () => {
      await receiver.stop();
      await Promise.all(running.splice(0).map((one) => one.stop()));
      await world.forgetDefinitions();
    });
    after(() => world.stop());

    const workers = async () => {
      for (let index = 0; index < 2; index++) running.push(await world.jobs.startWorkers({}, ['webhook']));
    };
    const event = (number: number, orderNumber: string | null, over: Partial<EventRecord> = {}) => ({
      payload: JSON.stringify({ number }),
      orderNumber,
      ...over,
    });
    const numbers = () => receiver.received.map(numberOf);
    const receivedAll = (count: number) =>
      until(`${count} requests arrived: ${numbers().join()}`, () => receiver.received.length >= count, WITHIN_MS);
    const allEnded = async (ids: readonly string[]) => {
      for (const id of ids) await world.ended(id);
    };

    it('gets the events of one key in the order of their emission, though two workers race for them', async () => {
      await world.hear(receiver.url, { ordering: 'key' });
      await workers();
      const ids: string[] = [];
      for (let from = 0; from < 40; from += 8) {
        const batch = Array.from({ length: 8 }, (_, index) => event(from + index, `SO-${(from + index) % 2}`));
        ids.push(...(await world.emit(batch)));
      }
      await allEnded(ids);
      const of = (rest: number) => numbers().filter((number) => number % 2 === rest);
      for (const rest of [0, 1])
        assert.deepEqual(
          of(rest),
          of(rest).toSorted((a, b) => a - b),
        );
      assert.equal(receiver.received.length, 40);
      const made = await Promise.all(ids.map((id) => world.deliveryOf(id)));
      assert.deepEqual([...new Set(made.map(({ attempts }) => attempts))], [1], 'waiting is not an attempt');
    });

    it('has no later event of the key sent while one is in flight, and others of other keys meanwhile', async () => {
      held = 1;
      await world.hear(receiver.url, { ordering: 'key' });
      await workers();
      const [first = '', second = ''] = await world.emit([event(1, 'A'), event(2, 'A'), event(3, 'B'), event(4, null)]);
      await receivedAll(3);
      await until('the second waits', async () => (await world.deliveryOf(second)).waits_behind !== null, WITHIN_MS);
      assert.deepEqual(numbers().sort(), [1, 3, 4]);
      assert.equal((await world.deliveryOf(second)).waits_behind, (await world.deliveryOf(first)).id);
      release();
      await allEnded([first, second]);
      assert.equal(numbers().at(-1), 2);
    });

    it('keeps a key back behind one that fails, until this one is a dead letter', async () => {
      answers.set(1, 500);
      const { id } = await world.hear(receiver.url, { ordering: 'key' });
      await workers();
      const [first = '', second = '', third = ''] = await world.emit([event(1, 'A'), event(2, 'A'), event(3, 'B')]);
      await allEnded([third]);
      await world.attempted(first);
      await until('the second waits', async () => (await world.deliveryOf(second)).waits_behind !== null, WITHIN_MS);
      assert.equal((await world.deliveryOf(second)).attempts, 0);
      // The last attempt of the schedule: the others wait an hour for it.
      const shop = await world.shop();
      assert.equal((await shop.call('POST', `/api/v2/webhook/${id}/actions/resume`)).body.deliveries, 1);
      assert.equal((await world.ended(first)).status, 'DEAD');
      assert.equal((await world.ended(second)).status, 'DELIVERED');
      assert.deepEqual(numbers().toSorted(), [1, 1, 2, 3]);
      assert.equal(numbers().at(-1), 2);
    });

    it('is replayed in order, those that were never created among the others', async () => {
      for (const number of [1, 2, 3, 4, 5, 6]) answers.set(number, 410);
      const since = new Date().toISOString();
      const { id } = await world.hear(receiver.url, { ordering: 'key' });
      await workers();
      const ids = await world.emit([event(1, 'A')]);
      await allEnded(ids);
      await until('410 disables it', async () => (await world.definition(id)).status === 'DISABLED', WITHIN_MS);
      ids.push(...(await world.emit([event(2, 'A'), event(3, 'A')])));
      const shop = await world.shop();
      await shop.ask('POST', `/api/v2/webhook/${id}/actions/enable`);
      ids.push(...(await world.emit([event(4, 'A')])));
      await world.ended(ids.at(-1) ?? '');
      await shop.ask('POST', `/api/v2/webhook/${id}/actions/enable`);
      answers.clear();
      receiver.received.length = 0;
      const body = { webhookId: id, since, outcomes: ['FAILED', 'IGNORED', 'CANCELLED'] };
      running.push(await world.jobs.startWorkers({}, ['bulk']));
      assert.equal((await shop.call('POST', '/api/v2/webhook/retry', { body })).status, 202);
      await receivedAll(4);
      await until(
        'all are delivered',
        async () => {
          const rows = await world.db('delivery').where({ definition_id: id });
          return rows.length === 4 && rows.every(({ status }) => status === 'DELIVERED');
        },
        WITHIN_MS,
      );
      assert.deepEqual(numbers(), [1, 2, 3, 4]);
    });

    it('keeps the order of an event with very many subscribers, whose deliveries are created later', async () => {
      const { siteId, account } = await world.shop();
      const { secretsKeys } = world;
      const target = 'http://127.0.0.1:9';
      await insertDefinitions(world.db, { siteId, account, count: 1_000, target, secretsKeys });
      const { id } = await world.hear(receiver.url, { ordering: 'key' });
      // The others are not of interest after the fan-out of the first event has begun.
      const [first = '', ...rest] = await world.emit([event(1, 'A')]);
      assert.deepEqual(rest, []);
      assert.equal(await world.db('delivery').where({ event_id: first }).first(), undefined);
      await WebhookDefinition.query(world.db).delete().whereNot({ id });
      const [second = ''] = await world.emit([event(2, 'A')]);
      await workers();
      await receivedAll(2);
      await allEnded([first, second]);
      assert.deepEqual(numbers(), [1, 2]);
    });

    it('keeps the order when the process is killed that has the first request in flight', async () => {
      held = 1;
      await world.hear(receiver.url, { ordering: 'key' });
      const settings = { ...SHORT_LOCKS, WEBHOOK_TIMEOUT_SECONDS: '60', LOG_LEVEL: 'info' };
      const started: RunningProgram[] = [await startWorkerProcess(world.jobs, settings)];
      try {
        const ids = await world.emit([1, 2, 3, 4].map((number) => event(number, 'A')));
        await receivedAll(1);
        for (const id of ids.slice(1)) {
          await until('it waits', async () => (await world.deliveryOf(id)).waits_behind !== null, WITHIN_MS);
        }
        started[0]?.process.kill('SIGKILL');
        await started[0]?.end;
        held = null;
        started.push(await startWorkerProcess(world.jobs, settings), await startWorkerProcess(world.jobs, settings));
        await allEnded(ids);
        assert.deepEqual(numbers(), [1, 1, 2, 3, 4]);
      } finally {
        for (const one of started) one.process.kill('SIGKILL');
        for (const one of started) await one.end;
      }
    });
  });
});

function numberOf({ body }: Received): number {
  return JSON.parse(body).payload.number;
}
