/**
 * Connections to Postgres and Redis that go silent in the middle of a run of a feed, or while a file removes what it lacks:
 * the work goes on within half a minute over new ones, and each file is imported, sent and deleted by once.
 */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AUTHORITY } from '../support/faults/certificates.js';
import { openSilentLine, type SilentLine } from '../support/faults/silent-line.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { fileAnswer, type HttpsServer, startHttps } from '../support/http/https-server.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ShopFolder } from '../support/worlds/feed-folder.js';
import { OWN_LOCKS } from '../support/worlds/own-sessions.js';
import type { RunningProgram } from '../support/worlds/run-program.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld, type Workers, type World } from '../support/worlds/world.js';

const RECOVERED_MS = 45_000;
const LOOPBACK = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
/** More than one packet, so that a run can be in its middle. */
const CSV = `Category Node,SKU,Title\n${Array.from({ length: 300 }, (_, row) => `Shelf,S${row},${'x'.repeat(500)}\n`).join('')}`;

describe('connections that go silent under feeds', function () {
  this.timeout(120_000);

  forEachBackend((backend) => {
    let world: World;
    let shop: Shop;
    let feeds: ShopFolder;
    let server: HttpsServer;
    /** They do what comes before; those on silent lines do the rest. */
    let workers: Workers;
    let answer: (request: IncomingMessage, response: ServerResponse) => void;
    const lines: SilentLine[] = [];
    const started: RunningProgram[] = [];
    const trusted = mkdtempSync(join(tmpdir(), 'longshore-trusted-'));
    const authority = join(trusted, 'authority.pem');
    before(async () => {
      writeFileSync(authority, AUTHORITY);
      server = await startHttps((request, response) => answer(request, response));
      world = await startWorld({ redisUrl: backend.redisUrl, files: 'in a folder', environment: LOOPBACK });
    });
    after(async () => {
      await world.stop();
      await server?.close();
      rmSync(trusted, { recursive: true, force: true });
    });
    beforeEach(async () => {
      shop = await world.newShop();
      workers = await world.startWorkers({}, ['bulk']);
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] }, mapping: { title: 'Title' } });
      feeds = new ShopFolder(shop, '');
    });
    afterEach(async () => {
      for (const { process: child } of started) child.kill('SIGKILL');
      await Promise.all(started.splice(0).map(({ end }) => end));
      await Promise.all(lines.splice(0).map((line) => line.close()));
      await world.db('feed').delete();
    });

    it('in the middle of a file that a run takes: it is imported once', async () => {
      await workers.stop();
      await startWorker();
      const held = new Held();
      const file = fileAnswer(() => ({ bytes: Buffer.from(CSV) }));
      answer = async (request, response) => {
        if (request.method === 'GET' && request.headers.range === undefined) {
          response.writeHead(200, { etag: `"${CSV.length}-${CSV.charCodeAt(0)}"`, 'content-length': CSV.length });
          response.write(CSV.slice(0, 1_000));
          await held.here();
          response.end(CSV.slice(1_000));
        } else file(request, response);
      };
      const { id } = await feeds.make({ connection: { kind: 'https', url: `${server.origin}/items.csv` } });
      const run = await startRun(id);
      await held.reached();
      silence();
      held.release();
      await ended(run);
      for (const job of await feeds.imports()) await ended(job.id);
      assert.equal((await feeds.imports()).length, 1);
      assert.equal((await shop.items()).length, 300);
      assert.deepEqual(
        (await feeds.files(id)).map(({ name }) => name),
        ['items.csv'],
      );
    });

    it('while a server takes the file of a destination: it gets one, and the next changes in another', async () => {
      await put('A');
      const got: (readonly [path: string, skus: string])[] = [];
      const held = new Held();
      answer = async (request, response) => {
        if (request.method !== 'PUT') return void response.writeHead(405).end();
        const text = Buffer.concat(await request.toArray()).toString();
        await held.here();
        got.push([request.url ?? '', [...text.matchAll(/^PRIMARY->Shelf,(\w+),/gm)].map(([, sku]) => sku).join()]);
        response.writeHead(201).end();
      };
      await startWorker(['export', 'maintenance']);
      const connection = { kind: 'https', url: `${server.origin}/in/` };
      const { id } = await feeds.makeDestination({ content: 'DELTA', connection });
      const run = await startRun(id);
      await held.reached();
      silence();
      held.release();
      await ended(run);
      await put('B');
      await ended(await startRun(id));
      await workers.stop();
      const names = new Map(got);
      // A whole file may be sent again, under the same name and with the same content.
      assert.deepEqual(
        [...names],
        [
          ['/in/items-000001.csv', 'A'],
          ['/in/items-000002.csv', 'B'],
        ],
      );
      assert.ok(
        got.every(([path, skus]) => names.get(path) === skus),
        JSON.stringify(got),
      );
    });

    it('while a file removes what it lacks: it goes once, with its place in the log of changes', async () => {
      for (const sku of ['A', 'B', 'C', 'D']) await put(sku);
      await workers.stop();
      await startWorker();
      // Deletions note what is gone: the transaction of the removal waits there.
      const lock = await world.db.transaction();
      try {
        await lock.raw('LOCK TABLE deleted_item IN ACCESS EXCLUSIVE MODE');
        const snapshot = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 };
        const job = await shop.upload('whole.csv', 'Category Node,SKU,Title\nShelf,A,x\nShelf,B,x\n', { snapshot });
        await until('the removal waits for the table', async () => (await waiting('deleted_item')) > 0, RECOVERED_MS);
        silence();
        await lock.rollback();
        const { removal } = await ended(job);
        assert.deepEqual([removal.missing, removal.removed], [2, 2]);
        const { data } = await shop.ask('GET', `/jobs/${job}/changes?limit=100`);
        assert.deepEqual(data.map(({ sku, operation }: Record<string, string>) => `${operation} ${sku}`).sort(), [
          'DELETED C',
          'DELETED D',
        ]);
      } finally {
        if (!lock.isCompleted()) await lock.rollback();
      }
      assert.deepEqual((await shop.items()).map(({ sku }) => sku).sort(), ['A', 'B']);
    });

    const put = (sku: string) => shop.bulk('upsert', [{ sku, nodeName: 'Shelf', attributes: { Title: 'x' } }]);

    function silence(): void {
      assert.ok(lines.reduce((sum, line) => sum + line.silence(), 0) > 2);
    }

    async function startWorker(groups: Parameters<typeof startWorkerProcess>[2] = []): Promise<void> {
      const database = await openSilentLine(world.services.config.databaseUrl);
      lines.push(database);
      const environment: Record<string, string> = {
        ...LOOPBACK,
        NODE_EXTRA_CA_CERTS: authority,
        DATABASE_URL: database.url,
      };
      if (backend.redisUrl !== undefined) {
        const redis = await openSilentLine(backend.redisUrl);
        lines.push(redis);
        environment.REDIS_URL = redis.url;
      }
      started.push(await startWorkerProcess(world, environment, groups));
    }

    async function startRun(id: string): Promise<string> {
      const { status, body, text } = await shop.call('POST', `/feeds/${id}/actions/run`);
      assert.equal(status, 202, text);
      return body.jobId;
    }

    // biome-ignore lint/suspicious/noExplicitAny: the body of an answer
    async function ended(jobId: string): Promise<any> {
      const over = () => world.db('job').where({ id: jobId }).whereNotNull('completed_at').first('id');
      await until('the job has ended', async () => (await over()) !== undefined, RECOVERED_MS);
      const job = await shop.ask('GET', `/jobs/${jobId}`);
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
      return job;
    }

    async function waiting(table: string): Promise<number> {
      const { rows } = await world.db.raw(
        `SELECT count(*)::integer AS waiting FROM ${OWN_LOCKS} WHERE relation = '${table}'::regclass AND NOT granted`,
      );
      return rows[0].waiting;
    }
  });
});

/** The first who comes is held until it is released; others pass. */
class Held {
  readonly #events = new EventEmitter();
  readonly #reached = once(this.#events, 'reached');
  readonly #released = once(this.#events, 'released');
  #isFirst = true;

  async here(): Promise<void> {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    this.#events.emit('reached');
    await this.#released;
  }

  async reached(): Promise<void> {
    await this.#reached;
  }

  release(): void {
    this.#events.emit('released');
  }
}
