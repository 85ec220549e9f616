import assert from 'node:assert/strict';
import { forEachBackend } from '../support/for-each-backend.js';
import { type Receiver, startReceiver } from '../support/http/receiver.js';
import { until } from '../support/until.js';
import { DeliveryWorld } from '../support/worlds/delivery-world.js';
import type { RunningProgram } from '../support/worlds/run-program.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';

describe('a worker process that is told to end while it delivers', function () {
  this.timeout(90_000);
  forEachBackend((backend) => {
    let world: DeliveryWorld;
    let receiver: Receiver;
    let answers: (() => void)[] = [];
    const running: RunningProgram[] = [];
    before(async () => {
      world = await DeliveryWorld.start({ redisUrl: backend.redisUrl });
      receiver = await startReceiver((response) => {
        answers.push(() => response.writeHead(204).end());
      });
    });
    afterEach(() => {
      for (const worker of running.splice(0)) worker.process.kill('SIGKILL');
      answers = [];
    });
    after(async () => {
      await world.stop();
      await receiver.stop();
    });

    async function start(graceMs: number): Promise<RunningProgram> {
      const worker = await startWorkerProcess(world.jobs, {
        WEBHOOK_TIMEOUT_SECONDS: '60',
        SHUTDOWN_GRACE_MS: String(graceMs),
      });
      running.push(worker);
      return worker;
    }

    async function terminate(worker: RunningProgram): Promise<number> {
      const begun = Date.now();
      worker.process.kill('SIGTERM');
      await until('it has ended', () => worker.process.exitCode !== null, 30_000);
      return Date.now() - begun;
    }

    it('waits for the answer, and records it', async () => {
      await world.hear(receiver.url);
      const worker = await start(20_000);
      const [eventId = ''] = await world.emit();
      await until('it is on its way', () => answers.length === 1, 30_000);
      const ended = terminate(worker);
      await worker.said(/"msg":"ending"/);
      answers[0]?.();
      assert.ok((await ended) < 15_000);
      const { status, attempts } = await world.deliveryOf(eventId);
      assert.deepEqual([status, attempts], ['DELIVERED', 1]);
    });

    it('hands back what is not answered when its time is over, and spends no attempt', async () => {
      const worker = await start(1_000);
      const [eventId = ''] = await world.emit();
      await until('it is on its way', () => answers.length === 1, 30_000);
      assert.ok((await terminate(worker)) < 3_000);
      const { status, attempts } = await world.deliveryOf(eventId);
      assert.deepEqual([status, attempts], ['PENDING', 0]);
      await start(1_000);
      await until('another worker makes the attempt', () => answers.length === 2, 30_000);
      answers[1]?.();
      assert.equal((await world.ended(eventId)).attempts, 1);
    });
  });
});
