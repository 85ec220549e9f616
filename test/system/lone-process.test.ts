/** The process in which a suspect step runs by itself. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { FAN_OUT_PAGE } from '../../src/domain/webhooks/events/fan-out-statement.js';
import { recordEvents } from '../../src/domain/webhooks/events/record-events.js';
import { processIdentity, sendSignal } from '../../src/launcher/process-table.js';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { POISON } from '../support/faults/poison.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { insertDefinitions } from '../support/worlds/many-definitions.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld, type World } from '../support/worlds/world.js';

const PRELOADED = fileURLToPath(new URL('../support/faults/poison.js', import.meta.url));
const ENVIRONMENT = {
  WORKER_LOCK_MS: '3000',
  WORKER_STALLED_MS: '500',
  RECONCILE_MS: '250',
  RECONCILE_GRACE_MS: '500',
  NODE_OPTIONS: `--import=${PRELOADED}`,
} as const;
const WITHIN_MS = 20_000;

describe('the process of a suspect step', function () {
  this.timeout(180_000);
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  it('ends when its worker is killed, even while it computes; and the step stays suspect when the queue forgets it', async () => {
    const shop = await world.newShop();
    const workers = await world.startWorkers();
    await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await workers.stop();
    const csv = `SKU,Category Node,Title\na,Disk,T\nb,Disk,T\nc,Disk,T\n${POISON}1,Disk,T\n`;
    const { outboxEntries } = await world.acceptFile(shop, 'x.csv', csv);
    const { producer, logger } = world.services;
    await enqueueEntries(producer, outboxEntries, logger);
    const first = await startWorkerProcess(world, { ...ENVIRONMENT, POISON_BY: 'kill' });
    assert.equal(await first.exit, 'SIGKILL', 'the step ends a worker, and is suspected');

    await killWhileAlone();

    for (const queue of producer.queues()) await queue.obliterate({ force: true });
    await killWhileAlone();
  });

  it('is where a fan-out runs that has ended a worker: it is stopped with its reason, and others go on', async () => {
    const [tenant, neighbour] = [await world.newShop(), await world.newShop()];
    const { producer, logger, config } = world.services;
    const [bad, good] = [await emit(tenant, `${POISON}1`), await emit(neighbour, 'ORDER_CREATED')];
    await enqueueEntries(producer, bad.outboxEntries, logger);
    const first = await startWorkerProcess(world, { ...ENVIRONMENT, POISON_BY: 'kill' });
    assert.equal(await first.exit, 'SIGKILL', 'it ends a worker, and is suspected');
    await enqueueEntries(producer, good.outboxEntries, logger);
    const second = await startWorkerProcess(world, { ...ENVIRONMENT, POISON_BY: 'kill' });
    try {
      await second.said(/"level":"?(?:error|50).*were not all created, because this ended the process \(SIGKILL\)/);
      await until(
        'the other event is fanned out',
        async () => (await eventOf(good)).deliveries > FAN_OUT_PAGE,
        WITHIN_MS,
      );
      const { deliveries, fan_out_error: reason } = await eventOf(bad);
      assert.deepEqual([deliveries, /SIGKILL/.test(reason)], [0, true]);
      assert.equal(second.process.exitCode ?? second.process.signalCode, null, 'it ends no second worker');
    } finally {
      await second.stop('SIGKILL');
    }

    async function emit({ siteId, account }: Shop, event: string) {
      await insertDefinitions(world.db, {
        ...{ siteId, account, count: FAN_OUT_PAGE + 1, events: [event], secretsKeys: config.secretsKeys },
      });
      return world.db.transaction((trx) =>
        recordEvents(trx, { siteId, accountId: account }, [{ source: 'OMS', event, payload: '{}' }]),
      );
    }

    function eventOf({ eventIds }: Awaited<ReturnType<typeof emit>>) {
      return world.db('event').where({ id: eventIds[0] }).first();
    }
  });

  /** Starts a worker, which executes the step by itself, and kills it: the step's process ends with it. */
  async function killWhileAlone(): Promise<void> {
    const worker = await startWorkerProcess(world, { ...ENVIRONMENT, POISON_BY: 'compute' });
    let lone: string | undefined;
    let pid = 0;
    try {
      pid = Number((await worker.said(/process (\d+) computes/))[1]);
      assert.notEqual(pid, worker.process.pid, 'it runs in a process of its own');
      lone = processIdentity(pid);
      assert.ok(lone !== undefined);
      worker.process.kill('SIGKILL');
      await until('its process has ended', () => processIdentity(pid) !== lone, WITHIN_MS);
    } finally {
      worker.process.kill('SIGKILL');
      if (lone !== undefined && processIdentity(pid) === lone) sendSignal(pid, 'SIGKILL');
      await worker.exit;
    }
  }
});
