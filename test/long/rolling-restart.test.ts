/**
 * A deploy while the system is used: each process is replaced by a new one while files are imported, catalogs exported
 * and webhooks delivered, and workers are added and taken away. No request fails, and nothing is lost or done twice.
 */

import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { connectDb, type Db } from '../../db/connection.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { resolveSite } from '../../src/domain/access/resolve-site.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { PROCESS_TYPES, type ProcessType } from '../../src/launcher/process-types.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { type Receiver, startReceiver } from '../support/http/receiver.js';
import { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';

type Kind = 'web' | 'bulk-worker' | 'export-worker' | 'webhook-worker' | 'maintenance';

interface Running {
  readonly kind: Kind;
  readonly program: RunningProgram;
  /** Of a web process. */
  readonly port: number;
}

const WEBS = 2;
const ROWS_OF_FILE = 3_000;
const ROWS_OF_REQUEST = 20;
/** With two subscribers to each event: 200 webhooks a second, as far as the machine can. */
const EVENTS_A_SECOND = 100;
const EMITTING = 8;
const PLATFORM_GIVES_MS = 25_000;
const SETTLES_MS = 120_000;
/** Between two steps of the deploy, work goes on. */
const PAUSE_MS = 1_500;

describe('a rolling restart', function () {
  this.timeout(600_000);

  forEachBackend((backend) => {
    let database: TestDatabase;
    let folder: OpenFolder;
    let db: Db;
    let receiver: Receiver;
    let balancer: Server;
    let balancerUrl: string;
    let shop: Shop;
    const running: Running[] = [];
    /** What no client may see: answers of 5xx, and requests without an answer. */
    const failures: string[] = [];

    before(async () => {
      database = await createTestDatabase();
      folder = makeOpenFolder();
      db = connectDb({ url: database.url, poolMax: 4, name: 'longshore-test' });
      receiver = await startReceiver();
      const port = await reservePort();
      balancerUrl = `http://127.0.0.1:${port}`;
      balancer = createServer(balance).listen(port, '127.0.0.1');
      for (let index = 0; index < WEBS; index++) await start('web');
      for (const kind of ['bulk-worker', 'export-worker', 'webhook-worker', 'maintenance'] as const) await start(kind);
      const { id } = await createAccount(db, { name: 'test' });
      const { token } = await createToken(db, { accountId: id, name: 'test' });
      shop = new Shop({ fetch: send }, id, token, await resolveSite(db, id, 'production'));
      await shop.define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
      for (const hook of ['a', 'b']) {
        const target = `${receiver.url}/${hook}`;
        await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target, events: ['ORDER_CREATED'] }) });
      }
    });
    after(async () => {
      for (const { program } of running) program.process.kill('SIGKILL');
      await Promise.all(running.map(({ program }) => program.end));
      balancer?.close();
      await receiver?.stop();
      await db?.destroy();
      await database?.drop();
      folder?.remove();
    });

    it('of each process, and a bulk-worker that becomes four and one again, fail no request and lose or repeat no work', async () => {
      const stop = new AbortController();
      const working = Promise.all([
        files(stop.signal),
        requests(stop.signal),
        exportsOf(stop.signal),
        events(stop.signal),
      ]);
      await delay(PAUSE_MS);
      for (const old of [...running]) {
        await start(old.kind);
        await end(old);
        await delay(PAUSE_MS);
      }
      for (let more = 0; more < 3; more++) await start('bulk-worker');
      await delay(PAUSE_MS);
      for (const old of running.filter(({ kind }) => kind === 'bulk-worker').slice(0, 3)) await end(old);
      await delay(PAUSE_MS);
      stop.abort();
      const [filed, requested, exported, emitted] = await working;
      assert.deepEqual(failures, []);

      for (const jobId of [...filed, ...requested, ...exported]) await untilEnded(shop, jobId);
      const jobs: { id: string; kind: string; status: string; created_count: number; attempts: number }[] =
        // Not those that made the catalog.
        await db('job').whereIn('kind', ['item', 'export']);
      const of = (ids: readonly string[]) => jobs.filter(({ id }) => ids.includes(id));
      for (const { id, status } of jobs) assert.equal(status, 'COMPLETED', id);
      for (const { created_count } of of(filed)) assert.equal(created_count, ROWS_OF_FILE);
      for (const { created_count } of of(requested)) assert.equal(created_count, ROWS_OF_REQUEST);
      assert.ok(filed.length > 2 && requested.length > 20 && exported.length > 2, 'there was work at each moment');
      assert.equal(jobs.length, filed.length + requested.length + exported.length, 'no job was accepted twice');
      const items = await db('item').select('sku');
      assert.equal(items.length, filed.length * ROWS_OF_FILE + requested.length * ROWS_OF_REQUEST);
      const tried = await db('job_chunk').where('attempts', '>', 0);
      assert.deepEqual(
        [tried.length, jobs.filter(({ attempts }) => attempts > 0).length],
        [0, 0],
        'no attempt was spent',
      );

      await until(
        'every delivery has ended',
        async () => !(await db('delivery').where({ status: 'PENDING' }).first()),
        SETTLES_MS,
      );
      const received = new Map<string, number>();
      for (const { path, headers } of receiver.received) {
        const key = `${path} ${headers['webhook-id']}`;
        received.set(key, (received.get(key) ?? 0) + 1);
      }
      const expected = emitted.flatMap((id) => [`/a ${id}`, `/b ${id}`]);
      assert.deepEqual([...received.keys()].sort(), expected.sort());
      assert.deepEqual(
        [...received].filter(([, times]) => times > 1),
        [],
        'none was sent twice',
      );
      process.stdout.write(
        `      ${filed.length} files, ${requested.length} requests, ${exported.length} exports, ${emitted.length} events\n`,
      );
    });

    /** Starts a process, and resolves when it works. */
    async function start(kind: Kind): Promise<Running> {
      const type: ProcessType = PROCESS_TYPES[kind];
      const program = runProgram(type.program, type.group === undefined ? [] : [type.group], {
        DATABASE_URL: database.url,
        ...(backend.redisUrl === undefined ? {} : { REDIS_URL: backend.redisUrl }),
        STORAGE_URL: pathToFileURL(join(folder.path, 'files')).href,
        SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
        PUBLIC_URL: balancerUrl,
        PORT: '0',
        WORKER_CHUNK_ROWS: '500',
        // Longer than this test: what is not handed back when a process ends, stays undone.
        ...{ WORKER_LOCK_MS: '600000', WORKER_STALLED_MS: '600000' },
      });
      let port = 0;
      if (kind !== 'web') await program.said(/"msg":"ready"/);
      else {
        const [, url = ''] = await program.said(/"url":"([^"]+)","msg":"listening"/);
        port = Number(new URL(url).port);
        const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
        await until('the new web process is ready', isReady, 30_000);
      }
      const one = { kind, program, port };
      running.push(one);
      return one;
    }

    /** Asks a process to end, as a platform does. */
    async function end(one: Running): Promise<void> {
      running.splice(running.indexOf(one), 1);
      const askedAt = Date.now();
      one.program.process.kill('SIGTERM');
      const { code, stderr } = await one.program.end;
      assert.equal(code, 0, `${one.kind}: ${stderr.slice(-2_000)}`);
      assert.ok(Date.now() - askedAt < PLATFORM_GIVES_MS, `${one.kind} took ${Date.now() - askedAt} ms`);
    }

    /** A load balancer: a connection that a web process does not accept goes to the next one. */
    function balance(client: Socket): void {
      const webs = running.filter(({ kind }) => kind === 'web');
      const tryNext = (index: number): void => {
        const web = webs[index];
        if (web === undefined) {
          client.destroy();
          return;
        }
        const server = connect(web.port, '127.0.0.1');
        let isConnected = false;
        server.once('connect', () => {
          isConnected = true;
          client.pipe(server).pipe(client);
        });
        server.on('error', () => (isConnected ? client.destroy() : tryNext(index + 1)));
        client.on('error', () => server.destroy());
      };
      webs.sort(() => Math.random() - 0.5);
      tryNext(0);
    }

    /** Notes what a client must not see. Each request has a connection of its own, as balancers make them. */
    async function send(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      headers.set('connection', 'close');
      const what = `${init.method ?? 'GET'} ${path}`;
      try {
        const answer = await fetch(`${balancerUrl}${path}`, { ...init, headers });
        if (answer.status >= 500) failures.push(`${what}: ${answer.status} ${await answer.clone().text()}`);
        return answer;
      } catch (error) {
        failures.push(`${what}: ${error instanceof Error ? `${error.message} ${String(error.cause)}` : error}`);
        throw error;
      }
    }

    async function files(stop: AbortSignal): Promise<string[]> {
      const jobs: string[] = [];
      for (let number = 0; !stop.aborted; number++) {
        const rows = Array.from({ length: ROWS_OF_FILE }, (_, index) => `f${number}-${index},Disk,T\n`);
        jobs.push(await shop.upload(`f${number}.csv`, `SKU,Category Node,Title\n${rows.join('')}`));
        await untilEnded(shop, jobs.at(-1) ?? '');
      }
      return jobs;
    }

    async function requests(stop: AbortSignal): Promise<string[]> {
      const jobs: string[] = [];
      for (let number = 0; !stop.aborted; number++) {
        const rows = Array.from({ length: ROWS_OF_REQUEST }, (_, index) => ({
          sku: `r${number}-${index}`,
          nodeName: 'Disk',
        }));
        const { status, body } = await shop.bulk('insert', rows, { headers: { prefer: '' } });
        assert.equal(status, 202);
        jobs.push(body.jobId);
        await delay(50);
      }
      return jobs;
    }

    async function exportsOf(stop: AbortSignal): Promise<string[]> {
      const jobs: string[] = [];
      while (!stop.aborted) {
        const body = { match: {}, format: 'JSONL' };
        const { status, body: answer } = await shop.post('/jobs/product/actions/filter-export', body);
        assert.equal(status, 202);
        jobs.push(answer.jobId);
        await untilEnded(shop, answer.jobId);
      }
      return jobs;
    }

    async function events(stop: AbortSignal): Promise<string[]> {
      const ids: string[] = [];
      const beganAt = Date.now();
      let number = 0;
      const lane = async () => {
        while (!stop.aborted) {
          const due = beganAt + (number++ * 1_000) / EVENTS_A_SECOND;
          if (due > Date.now()) await delay(due - Date.now());
          const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { number } };
          const answer = await shop.post('/api/v2/event', body, { headers: { 'tenant-key': shop.account } });
          assert.equal(answer.status, 202);
          ids.push(answer.body.eventRequestId);
        }
      };
      await Promise.all(Array.from({ length: EMITTING }, lane));
      return ids;
    }
  });
});
