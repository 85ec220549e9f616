/** The process in which a suspect step runs by itself. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { processIdentity, sendSignal } from '../../src/launcher/process-table.js';
import { enqueueEntries } from '../../src/queues/outbox.js';
import { POISON } from '../support/faults/poison.js';
import { until } from '../support/until.js';
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
const WITHIN_MS = 10_000;

describe('the process of a suspect step', function () {
  this.timeout(120_000);
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
