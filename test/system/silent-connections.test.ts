/**
 * Connections that go silent, as after a loss of power, a failover, or behind a firewall that has forgotten them: the
 * system recovers by itself within half a minute, because new connections work.
 */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { pathToFileURL } from 'node:url';
import { ADVISORY_LOCKS } from '../../db/advisory-locks.js';
import { recordEvents } from '../../src/domain/webhooks/events/record-events.js';
import { enqueueEntries } from '../../src/queues/outbox.js';
import type { WorkerGroup } from '../../src/workers/start-workers.js';
import { FAULT, type Gate, installFaults, shutGate } from '../support/faults/faults.js';
import { openSilentLine, type SilentLine } from '../support/faults/silent-line.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { acceptExport } from '../support/http/exporting.js';
import { startReceiver } from '../support/http/receiver.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { insertDefinitions } from '../support/worlds/many-definitions.js';
import { OWN_LOCKS } from '../support/worlds/own-sessions.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { type Accepted, startWorld, type World } from '../support/worlds/world.js';

const RECOVERED_MS = 30_000;

describe('connections that go silent', function () {
  this.timeout(90_000);

  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    let gate: Gate | undefined;
    const lines: SilentLine[] = [];
    const started: RunningProgram[] = [];
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
      await installFaults(world.db);
      const workers = await world.startWorkers();
      shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      await workers.stop();
    });
    after(() => world.stop());
    afterEach(async () => {
      await gate?.open();
      gate = undefined;
      for (const { process: child } of started) child.kill('SIGKILL');
      await Promise.all(started.splice(0).map(({ end }) => end));
      await Promise.all(lines.splice(0).map((line) => line.close()));
      await world.db('item').delete();
    });

    describe('under a web process', () => {
      it('fail requests for some seconds only, and its shutdown not at all', async () => {
        const { jobId } = await world.acceptRows(shop, 'upsert', [{ sku: 'a', nodeName: 'Disk' }]);
        const { web, url } = await startWeb();
        const read = () => fetch(`${url}/jobs/${jobId}`, { headers: headers() });
        // Each of several connections has answered, and is silent later.
        for (const response of await Promise.all(Array.from({ length: 8 }, read))) assert.equal(response.status, 200);
        silence();
        const first = await Promise.all(Array.from({ length: 4 }, read));
        for (const { status } of first) assert.ok([200, 503].includes(status), `it answered ${status}`);
        await until('all requests are answered', async () => all(await Promise.all([read(), read(), read()])), 20_000);
        const accepted = await fetch(`${url}/api-product/v1/product/bulk/insert`, {
          method: 'POST',
          headers: { ...headers(), 'content-type': 'application/json' },
          body: JSON.stringify([{ sku: 'b', nodeName: 'Disk' }]),
        });
        assert.equal(accepted.status, 202);
        silence();
        const askedAt = Date.now();
        web.process.kill('SIGTERM');
        assert.equal((await web.end).code, 0);
        assert.ok(Date.now() - askedAt < 10_000, `it took ${Date.now() - askedAt} ms`);
      });
    });

    describe('under a worker process', () => {
      it('do not stop a step for longer than half a minute, although it holds locks', async () => {
        gate = await shutGate(world.services.config.databaseUrl);
        await startWorker();
        const job = await acceptFile();
        await gate.reached();
        assert.ok(silence() > 2);
        await gate.open();
        await ended(job);
      });

      it('do not keep an idle worker from what is enqueued later', async () => {
        await startWorker();
        await ended(await acceptFile());
        assert.ok(silence() > 2);
        await ended(await acceptFile('idle'));
      });

      it('do not prolong its shutdown', async () => {
        gate = await shutGate(world.services.config.databaseUrl);
        const worker = await startWorker({ SHUTDOWN_GRACE_MS: '60000' });
        await acceptFile();
        await gate.reached();
        silence();
        await gate.open();
        const askedAt = Date.now();
        worker.process.kill('SIGTERM');
        assert.equal((await worker.end).code, 0);
        // A worker that waits for a silent connection uses its whole grace period.
        assert.ok(Date.now() - askedAt < 30_000, `it took ${Date.now() - askedAt} ms`);
      });
    });

    describe('under a worker of exports and one of webhooks', () => {
      it('do not stop an export or a delivery for longer than half a minute, in the middle or idle', async () => {
        const held: ServerResponse[] = [];
        let holds = true;
        const receiver = await startReceiver((response) => {
          if (holds) held.push(response);
          else response.writeHead(204).end();
        });
        const lock = await world.db.transaction();
        try {
          await insertDefinitions(world.db, {
            ...{ siteId: shop.siteId, account: shop.account, count: 1, events: ['ORDER_CREATED'] },
            ...{ secretsKeys: world.services.config.secretsKeys, target: receiver.url },
          });
          await startWorker({}, ['export', 'maintenance']);
          await startWorker({}, ['webhook']);
          await lock.raw('LOCK TABLE item IN ACCESS EXCLUSIVE MODE');
          const [exported, event] = [await acceptExport(shop), await emit()];
          await until('the export waits for the table', async () => (await waitingForItems()) > 0, RECOVERED_MS);
          await until('the request is in flight', async () => held.length > 0, RECOVERED_MS);
          assert.ok(silence() > 2);
          await lock.rollback();
          holds = false;
          for (const response of held) response.writeHead(204).end();
          await Promise.all([completed(exported), delivered(event)]);

          assert.ok(silence() > 2);
          const [nextExport, nextEvent] = [await acceptExport(shop), await emit()];
          await Promise.all([completed(nextExport), delivered(nextEvent)]);
        } finally {
          if (!lock.isCompleted()) await lock.rollback();
          await receiver.stop();
        }
      });
    });

    describe('of a host that is gone', () => {
      it('release the rows that its worker had locked', async () => {
        gate = await shutGate(world.services.config.databaseUrl);
        const gone = await startWorker({ ...IMPATIENT });
        const job = await acceptFile();
        await gate.reached();
        vanish(gone);
        await gate.open();
        await startWorkerProcess(world, IMPATIENT).then((worker) => started.push(worker));
        await ended(job);
      });

      it('release the lock of the maintenance process that leads', async () => {
        const blocker = await world.db.transaction();
        try {
          await blocker.raw('LOCK TABLE idempotency_key IN ACCESS EXCLUSIVE MODE');
          const gone = await startWorker();
          await until('it leads and waits', async () => (await leaders()) === 1, 10_000);
          vanish(gone);
          await until('the lock is released', async () => (await leaders()) === 0, RECOVERED_MS);
        } finally {
          await blocker.rollback();
        }
      });
    });

    const IMPATIENT = { WORKER_LOCK_MS: '2000', WORKER_STALLED_MS: '500', RECONCILE_MS: '250' };

    function headers(): Record<string, string> {
      return { authorization: `Bearer ${shop.token}`, 'x-site-context': JSON.stringify({ account: shop.account }) };
    }

    /** Addresses by way of lines that `silence` silences. */
    async function throughLines(): Promise<Record<string, string>> {
      const database = await openSilentLine(world.services.config.databaseUrl);
      lines.push(database);
      if (backend.redisUrl === undefined) return { DATABASE_URL: database.url };
      const redis = await openSilentLine(backend.redisUrl);
      lines.push(redis);
      return { DATABASE_URL: database.url, REDIS_URL: redis.url };
    }

    function silence(): number {
      return lines.reduce((sum, line) => sum + line.silence(), 0);
    }

    async function startWorker(
      environment: Record<string, string> = {},
      groups: readonly WorkerGroup[] = [],
    ): Promise<RunningProgram> {
      const worker = await startWorkerProcess(world, { ...(await throughLines()), ...environment }, groups);
      started.push(worker);
      return worker;
    }

    async function startWeb(): Promise<{ web: RunningProgram; url: string }> {
      const { storage, secretsKeys } = world.services.config;
      const web = runProgram('app/api/main.js', [], {
        ...(await throughLines()),
        STORAGE_URL: pathToFileURL(storage.directory).href,
        SECRETS_KEY: secretsKeys.join(','),
        PORT: '0',
      });
      started.push(web);
      const [, url] = await web.said(/"url":"([^"]+)","msg":"listening"/);
      return { web, url: url ?? '' };
    }

    /** The process stops as if its host had lost power: nothing closes its connections. */
    function vanish({ process: child }: RunningProgram): void {
      child.kill('SIGSTOP');
      silence();
    }

    async function acceptFile(name = 'x'): Promise<Accepted> {
      const rows = Array.from({ length: 12 }, (_, row) => `${row === 5 ? FAULT.wait : ''}${name}${row},Disk,T\n`);
      const job = await world.acceptFile(shop, `${name}.csv`, `SKU,Category Node,Title\n${rows.join('')}`);
      await enqueueEntries(world.services.producer, job.outboxEntries, world.services.logger);
      return job;
    }

    async function ended({ jobId }: Accepted): Promise<void> {
      await completed(jobId);
      await shop.outcome(jobId);
    }

    async function completed(jobId: string): Promise<void> {
      const job = () => world.db('job').where({ id: jobId }).first();
      await until('the job has ended', async () => (await job()).completed_at !== null, RECOVERED_MS);
      assert.equal((await job()).status, 'COMPLETED');
    }

    async function emit(): Promise<string> {
      const { siteId, account } = shop;
      const { eventIds, outboxEntries } = await world.db.transaction((trx) =>
        recordEvents(trx, { siteId, accountId: account }, [{ source: 'OMS', event: 'ORDER_CREATED', payload: '{}' }]),
      );
      await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
      return eventIds[0] ?? '';
    }

    async function delivered(eventId: string): Promise<void> {
      const status = async () => (await world.db('delivery').where({ event_id: eventId }).first())?.status;
      await until('the event is delivered', async () => (await status()) === 'DELIVERED', RECOVERED_MS);
    }

    async function waitingForItems(): Promise<number> {
      const { rows } = await world.db.raw(
        `SELECT count(*) AS waiting FROM ${OWN_LOCKS} WHERE relation = 'item'::regclass AND NOT granted`,
      );
      return rows[0].waiting;
    }

    async function leaders(): Promise<number> {
      const { rows } = await world.db.raw(
        `SELECT count(*) AS leaders FROM ${OWN_LOCKS} WHERE locktype = 'advisory' AND objid = ? AND granted`,
        [ADVISORY_LOCKS.maintenance],
      );
      return rows[0].leaders;
    }
  });
});

function all(responses: readonly Response[]): boolean {
  return responses.every(({ status }) => status === 200);
}
