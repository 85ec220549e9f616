/**
 * A run of real processes, with secrets, values, contacts and payloads planted wherever a client can put them, and with
 * the failures that quote them; and then a search for each of them in everything that the run has emitted.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { connectDb, type Db } from '../../db/connection.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createClient } from '../../src/domain/access/clients.js';
import { resolveSite } from '../../src/domain/access/resolve-site.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { exportFile } from '../support/http/exporting.js';
import { answerWith, type Receiver, startReceiver } from '../support/http/receiver.js';
import { Shop } from '../support/http/shop.js';
import { untilEnded } from '../support/http/until-ended.js';
import { webhookBody } from '../support/http/webhook-definition.js';
import { until } from '../support/until.js';
import { recordQueuesInPostgres, recordQueuesInRedis } from '../support/worlds/emitted-queue.js';
import { queryOnce } from '../support/worlds/query-once.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';
import { testEnvironment } from '../support/worlds/test-environment.js';
import { type Launched, launchRedis, skipWithoutRedis } from '../support/worlds/test-redis.js';

const WITHIN_MS = 30_000;
const DEAD = /^longshore_deliveries_total\{outcome="dead",/m;
const PRODUCT = '/api-product/v1/product';

type Medium = 'logs' | 'the log of Postgres' | 'metrics' | 'traces' | 'queues' | 'the audit log';

for (const backend of ['postgres', 'redis'] as const) {
  describe(`what a run on ${backend} emits`, function () {
    this.timeout(120_000);
    /** What was planted, by what it is. */
    const planted = new Map<string, string>();
    const emitted = new Map<Medium, string>();
    const cleanups: (() => Promise<unknown> | unknown)[] = [];
    let ids: readonly string[] = [];

    before(async function () {
      if (backend === 'redis') skipWithoutRedis(this);
      const run = await startRun();
      await run.use();
      await run.fail();
      ids = await run.end();
    });
    after(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });

    /** A text that is found wherever it is; of letters and digits, so that no encoding of it looks different. */
    function plant(what: string): string {
      return secret(what, `Pl4nted${randomBytes(9).toString('hex')}`);
    }

    function secret(what: string, text: string): string {
      planted.set(what, text);
      return text;
    }

    it('contains ids in all that it emits: so the search has looked at the right places', () => {
      const [account = '', job = ''] = ids;
      assert.ok(emitted.get('logs')?.includes(job));
      assert.ok(emitted.get('traces')?.includes(job));
      assert.ok(emitted.get('queues')?.includes(job));
      assert.ok(emitted.get('the audit log')?.includes(account));
      assert.match(emitted.get('metrics') ?? '', DEAD);
      for (const failure of [/a request failed/, /violates check constraint/, /invalid input syntax for type/]) {
        assert.match(emitted.get('logs') ?? '', failure);
      }
      if (backend === 'redis') assert.match(emitted.get('logs') ?? '', /WRONGPASS/);
    });

    for (const medium of ['logs', 'the log of Postgres', 'metrics', 'traces', 'queues', 'the audit log'] as const) {
      it(`contains no secret, value, contact or payload in ${medium}`, () => {
        assert.ok(planted.size > 40);
        const text = emitted.get(medium) ?? '';
        const found = [...planted].flatMap(([what, value]) => {
          const at = text.indexOf(value);
          return at < 0 ? [] : [`${what}: ${text.slice(Math.max(0, at - 300), at + 100)}`];
        });
        assert.deepEqual(found, []);
      });
    }

    async function startRun(): Promise<{ use(): Promise<void>; fail(): Promise<void>; end(): Promise<string[]> }> {
      const database = await createTestDatabase();
      cleanups.push(() => database.drop());
      secret('the password of the database', new URL(database.url).password);
      const db = connectDb({ url: database.url, poolMax: 4, name: 'longshore-test' });
      cleanups.push(() => db.destroy());
      const postgresLog = await logOfPostgres(database);
      const redis = backend === 'redis' ? await startLockedRedis() : undefined;
      const queue = await (redis === undefined ? recordQueuesInPostgres(database.url) : recordQueuesInRedis(redis.url));
      cleanups.push(() => queue.stop());
      const collector = await startReceiver(answerWith(200, { 'content-type': 'application/json' }, '{}'));
      const target = await startReceiver();
      const refusing = await startReceiver(answerWith(500, {}, plant('the answer of a target')));
      for (const receiver of [collector, target, refusing]) cleanups.push(() => receiver.stop());
      const programs = await startPrograms(database, collector, redis?.url);
      const { url, metricsUrl } = programs;
      const { id: account } = await createAccount(db, { name: plant('the name of an account') });
      const { token } = await createToken(db, { accountId: account, name: 'test' });
      const { token: operator } = await createToken(db, { accountId: null, name: 'on call' });
      secret('a token', token);
      secret('the token of an operator', operator);
      const ask = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
      const shop = new Shop({ fetch: ask }, account, token, await resolveSite(db, account, 'production'));
      let imported = '';

      return {
        use: async () => {
          await defineCatalog(shop);
          await defineWebhooks(shop, target, refusing);
          imported = await importItems(shop);
          await emitEvents(shop);
          await getTokens(db, shop, ask);
          await exportItems(shop);
          await askForWhatIsNot(shop, ask);
          await search(ask, operator, imported);
          // A definition whose target refuses has failed for good, and calls back.
          await until('a callback', () => target.received.some(({ path }) => path.startsWith('/callback')), WITHIN_MS);
        },
        fail: async () => {
          await quoteRows(db, shop, programs.workers);
          const page = async () => (await fetch(metricsUrl)).text();
          // Workers publish theirs every few seconds.
          await until('the metrics of deliveries', async () => DEAD.test(await page()), WITHIN_MS);
          emitted.set('metrics', await page());
          emitted.set('queues', await queue.text());
          queue.stop();
          if (redis !== undefined) await lockOut(redis, programs);
        },
        end: async () => {
          await programs.stop();
          emitted.set('logs', programs.said());
          emitted.set(
            'traces',
            collector.received.map(({ path, body, headers }) => path + body + JSON.stringify(headers)).join('\n'),
          );
          emitted.set('the audit log', JSON.stringify(await db('audit_entry')));
          emitted.set('the log of Postgres', postgresLog());
          return [account, imported];
        },
      };
    }

    /** What Postgres logs from now on; nothing of a server that is not ours. */
    async function logOfPostgres({ url }: TestDatabase): Promise<() => string> {
      if (testEnvironment().databaseUrl !== undefined) return () => '';
      const [{ folder = '' } = {}] = await queryOnce<{ folder: string }>(
        url,
        `SELECT current_setting('data_directory') AS folder`,
      );
      const file = join(dirname(folder), 'postgres.log');
      const before = readFileSync(file).length;
      return () => `${file} ${readFileSync(file).subarray(before)}`;
    }

    interface LockedRedis {
      readonly url: string;
      readonly control: Redis;
    }

    async function startLockedRedis(): Promise<LockedRedis> {
      const folder = await mkdtemp(join(tmpdir(), 'longshore-locked-'));
      cleanups.push(() => rm(folder, { recursive: true, force: true }));
      const port = await reservePort();
      const password = plant('the password of Redis');
      const launched: Launched = await launchRedis({ port, requirepass: password }, folder);
      cleanups.push(() => launched.end('SIGTERM'));
      const url = `redis://:${password}@127.0.0.1:${port}`;
      const control = new Redis(url);
      cleanups.push(() => control.disconnect());
      return { url, control };
    }

    interface Programs {
      readonly url: string;
      readonly metricsUrl: string;
      readonly workers: readonly RunningProgram[];
      readonly all: readonly RunningProgram[];
      said(): string;
      stop(): Promise<void>;
    }

    async function startPrograms(
      database: TestDatabase,
      collector: Receiver,
      redisUrl: string | undefined,
    ): Promise<Programs> {
      const folder = await mkdtemp(join(tmpdir(), 'longshore-leaks-'));
      cleanups.push(() => rm(folder, { recursive: true, force: true }));
      const environment = {
        DATABASE_URL: database.url,
        ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
        SECRETS_KEY: secret('the key of secrets', randomBytes(24).toString('hex')),
        DATA_DIR: folder,
        HOST: '127.0.0.1',
        PORT: '0',
        // All that a process can say.
        LOG_LEVEL: 'trace',
        METRICS_PORT: '0',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        WORKER_CHUNK_ROWS: '2',
        WEBHOOK_SCHEDULE_SECONDS: '0,0',
      };
      const web = runProgram('app/api/main.js', [], { ...environment });
      const rest = { ...environment, METRICS_PORT: '' };
      const workers = [
        runProgram('app/workers/main.js', ['bulk', 'export', 'maintenance'], rest),
        runProgram('app/workers/main.js', ['webhook'], rest),
      ];
      const all = [web, ...workers];
      cleanups.push(() => Promise.all(all.map((program) => program.stop('SIGKILL'))));
      const [, url = ''] = await web.said(/"url":"([^"]+)","msg":"listening"/);
      const [, metricsUrl = ''] = await web.said(/"url":"([^"]+)","msg":"metrics"/);
      await Promise.all(workers.map((worker) => worker.said(/"msg":"ready"/)));
      return {
        url,
        metricsUrl: `${metricsUrl}/metrics`,
        workers,
        all,
        said: () => all.map((program) => program.stdout() + program.stderr()).join('\n'),
        stop: async () => {
          const ends = await Promise.all(all.map((program) => program.stop('SIGTERM')));
          assert.deepEqual(ends, [0, 0, 0]);
        },
      };
    }

    async function defineCatalog(shop: Shop): Promise<void> {
      await shop.define({
        attributes: [plant('the name of an attribute'), 'Title', { name: 'Weight', type: 'DECIMAL' }],
        categories: { Disk: ['Title', 'Weight'], [plant('the name of a category')]: [] },
      });
    }

    async function defineWebhooks(shop: Shop, target: Receiver, refusing: Receiver): Promise<void> {
      const bytes = () => secret('a signing secret', `whsec_${randomBytes(32).toString('base64')}`);
      const define = (address: string, source: string, signingSecret: string) => {
        const body = webhookBody({
          target: `${address}/hook?key=${plant(`a key in the address for ${source}`)}`,
          callbackUrl: `${target.url}/callback?key=${plant(`a key in the callback for ${source}`)}`,
          targetApiKey: plant(`an API key for ${source}`),
          headers: { 'x-team': plant(`a header for ${source}`) },
          events: ['*'],
          source,
          signingSecret,
        });
        return shop.ask('POST', '/api/v2/webhook', { body });
      };
      await define(target.url, 'CATALOG', bytes());
      const { webhookId } = await define(
        refusing.url,
        'OMS',
        secret('another signing secret', `whsec_${randomBytes(32).toString('base64')}`),
      );
      const brought = secret('a brought secret', `whsec_${randomBytes(32).toString('base64')}`);
      await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/rotate-secret`, {
        body: { signingSecret: brought },
      });
      await shop.ask('POST', `/api/v2/webhook/${webhookId}/actions/test`, { body: {} });
      const refused = webhookBody({ target: `http://user:${plant('a password in an address')}@127.0.0.1/` });
      assert.equal((await shop.call('POST', '/api/v2/webhook', { body: refused })).status, 400);
    }

    /** @returns the id of the job of a file */
    async function importItems(shop: Shop): Promise<string> {
      const rows = [
        `${plant('a SKU of a file')},Disk,${plant('a value of a file')},1`,
        `${plant('a SKU of a failing row')},Disk,x,${plant('a wrong value')}`,
        `F-3,${plant('a category that is none')},x,1`,
        `F-4,Disk,${plant('another value of a file')},2`,
      ];
      const csv = `SKU,Category Node,Title,Weight\n${rows.join('\n')}\n`;
      const outcome = await shop.importFile(`${plant('the name of a file')}.csv`, csv);
      assert.deepEqual([outcome.created, outcome.failed], [2, 2]);
      const retried = await shop.call('POST', `/jobs/${outcome.id}/actions/retry`, { body: { rows: 'failed' } });
      assert.equal(retried.status, 202, JSON.stringify(retried.body));
      await untilEnded(shop, retried.body.jobId);
      const unknown = await shop.importFile('columns.csv', `SKU,${plant('a column that is none')}\nF-5,x\n`);
      assert.notEqual(unknown.status, 'COMPLETED');
      const bulk = await shop.bulk(
        'upsert',
        [
          { sku: plant('a SKU of a request'), nodeName: 'Disk', attributes: { Title: plant('a value of a request') } },
          { sku: 'B-2', nodeName: 'Disk', attributes: { Weight: plant('a wrong value of a request') } },
        ],
        { headers: { 'idempotency-key': plant('a key of idempotency') } },
      );
      assert.equal(bulk.status, 200);
      const later = await shop.bulk(
        'upsert',
        [{ sku: 'B-3', nodeName: 'Disk', attributes: { Title: plant('a value of a later request') } }],
        {
          headers: { prefer: 'respond-async' },
        },
      );
      await untilEnded(shop, later.body.jobId ?? later.body.id);
      return outcome.id;
    }

    async function emitEvents(shop: Shop): Promise<void> {
      const headers = { 'tenant-key': shop.account };
      const event = {
        source: 'OMS',
        event: 'ORDER_CREATED',
        orderNumber: plant('an order number'),
        payload: { note: plant('a payload') },
      };
      const sent = await shop.post('/api/v2/event', event, { headers });
      assert.equal(sent.status, 202, JSON.stringify(sent.body));
      const contact = (whose: string) => ({
        name: { first: plant(`the name of ${whose}`) },
        email: `${plant(`the address of ${whose}`)}@example.com`,
        phone: { number: secret(`the number of ${whose}`, String(randomBytes(6).readUIntBE(0, 6)).padStart(15, '7')) },
      });
      const id = plant('the id of a document');
      const document = { documentType: 'ORDER', id, payload: { note: plant('a payload of a document') } };
      const registered = await shop.post(
        '/api/v2/document',
        { ...document, contactInfo: [contact('a document')] },
        { headers },
      );
      assert.equal(registered.status, 200, JSON.stringify(registered.body));
      const notification = {
        id,
        documentType: 'ORDER',
        notificationType: 'SHIPPED',
        overrideContactInfo: [contact('a notification')],
      };
      await shop.post('/api/v2/notification/send', notification, { headers });
      const malformed = { ...notification, overrideContactInfo: [{ email: plant('a malformed address') }] };
      assert.equal((await shop.post('/api/v2/notification/send', malformed, { headers })).status, 400);
      assert.equal((await shop.get(`/api/v2/document/ORDER/${id}`, { headers })).status, 200);
      const found = await shop.ask('POST', '/api/v2/webhook/event/query', {
        body: { filters: { orderNumber: event.orderNumber } },
      });
      assert.equal(found.count, 1);
    }

    type Ask = (path: string, init?: RequestInit) => Promise<Response>;

    async function getTokens(db: Db, shop: Shop, ask: Ask): Promise<void> {
      const { clientId, clientSecret } = await createClient(db, { accountId: shop.account, name: 'test' });
      secret('the secret of a client', clientSecret);
      const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
        ask('/oauth2/token', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
        });
      const basic = secret('a secret in base64', btoa(`${clientId}:${clientSecret}`));
      for (const answer of [
        await post({ client_id: clientId, client_secret: clientSecret }),
        await post({}, { authorization: `Basic ${basic}` }),
      ]) {
        const { access_token: granted } = (await answer.json()) as { access_token: string };
        secret(`a granted token, ${planted.size}`, granted);
        const used = await ask('/api/v2/webhook', {
          headers: { authorization: `Bearer ${granted}`, 'x-site-context': JSON.stringify({ account: shop.account }) },
        });
        assert.equal(used.status, 200);
      }
      assert.equal((await post({ client_id: clientId, client_secret: plant('a wrong secret') })).status, 401);
      assert.equal((await post({ client_id: plant('a client that is none'), client_secret: 'x' })).status, 401);
    }

    async function exportItems(shop: Shop): Promise<void> {
      const value = planted.get('a value of a file') ?? '';
      const { text, job } = await exportFile(shop, {
        body: { match: { properties: [{ name: 'Title', op: 'EQUALS', value }] } },
      });
      assert.ok(text.includes(value));
      const { location } = await shop.ask('GET', `/files/product/${job.outputFiles[0]}/actions/download`);
      const signature = new URL(location).searchParams.get('signature') ?? assert.fail('the address is signed');
      secret('the signature of an address', signature);
      assert.equal((await fetch(location)).status, 200);
      const wrong = location.replace(signature, plant('a wrong signature'));
      assert.ok((await fetch(wrong)).status >= 400);
    }

    /** Requests that are refused, with what a client may have put in the wrong place. */
    async function askForWhatIsNot(shop: Shop, ask: Ask): Promise<void> {
      const authorization = `Bearer ${plant('a wrong token')}`;
      assert.equal((await ask('/api/v2/webhook', { headers: { authorization } })).status, 401);
      assert.equal((await shop.get(`${PRODUCT}/${planted.get('a SKU of a file')}`)).status, 200);
      const malformed = await shop.call('POST', `${PRODUCT}/bulk/upsert`, {
        body: `[{"sku": "${plant('a body that is no JSON')}`,
      });
      assert.equal(malformed.status, 400);
      for (const [path, status] of [
        [`${PRODUCT}/${plant('a SKU that is none')}`, 404],
        [`/no/${plant('an address that is none')}`, 404],
        [`/jobs/${plant('an id that is none')}`, 404],
        [`/api/v2/webhook?access_token=${plant('a token in an address')}`, 400],
        [`/admin/queues/queue/${plant('a queue that is none')}`, 403],
      ] as const) {
        const { status: answered, text } = await shop.get(path, {
          headers: { cookie: plant(`a cookie for ${status}`), baggage: `a=${plant(`baggage for ${status}`)}` },
        });
        assert.equal(answered, status, `${path}: ${text}`);
      }
      const context = { 'x-site-context': `{"account": "${plant('a context that is no JSON')}` };
      assert.equal((await shop.get('/api/v2/webhook', { headers: context })).status, 400);
    }

    async function search(ask: Ask, operator: string, imported: string): Promise<void> {
      const read = async (path: string, authorization: string) => {
        const answer = await ask(path, { headers: { authorization } });
        assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
      };
      const asked = (by: string, what: string) => `/admin/work?by=${by}&q=${planted.get(what)}`;
      await read(asked('sku', 'a SKU of a file'), `Bearer ${operator}`);
      await read(asked('file', 'the name of a file'), `Basic ${secret('a login', btoa(`me:${operator}`))}`);
      for (const path of [
        '/admin',
        `/admin/jobs/${imported}`,
        '/admin/endpoints',
        '/admin/fleet',
        '/metrics',
        '/admin/queues',
      ]) {
        await read(path, `Bearer ${operator}`);
      }
    }

    /** Has the database refuse rows as a defect would, so that it quotes them: in its details, and in its message. */
    async function quoteRows(db: Db, shop: Shop, [worker]: readonly RunningProgram[]): Promise<void> {
      await db.raw("ALTER TABLE item ADD CONSTRAINT refusing_ck CHECK (sku !~ '^Refused') NOT VALID");
      await db.raw(
        "ALTER TABLE event ADD CONSTRAINT quoting_ck CHECK (source <> 'TEST_SERVICE' OR payload::date > '2000-01-01') NOT VALID",
      );
      const row = { sku: 'Refused-1', nodeName: 'Disk', attributes: { Title: plant('a value that is refused') } };
      const { body } = await shop.bulk('upsert', [row], { headers: { prefer: 'respond-async' } });
      await logged(worker, /violates check constraint \\"refusing_ck\\"/);
      await db.raw('ALTER TABLE item DROP CONSTRAINT refusing_ck');
      assert.equal((await untilEnded(shop, body.jobId ?? body.id)).status, 'COMPLETED');
      const event = { source: 'TEST_SERVICE', event: 'QUOTED', payload: { note: plant('a payload that is refused') } };
      const answer = await shop.post('/api/v2/event', event, { headers: { 'tenant-key': shop.account } });
      assert.equal(answer.status, 500);
      assert.ok(!answer.text.includes(planted.get('a payload that is refused') ?? ''));
    }

    /** Another password, so that the configured one is refused. */
    async function lockOut({ control, url }: LockedRedis, { all }: Programs): Promise<void> {
      await control.config('SET', 'requirepass', 'another');
      await control.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await Promise.all(all.map((program) => logged(program, /WRONGPASS/)));
      await control.config('SET', 'requirepass', decodeURIComponent(new URL(url).password));
    }
  });
}

const TAIL = 3_000;

/** Resolves when the program has logged this. @throws with the end of its log when it has not in time */
async function logged(program: RunningProgram | undefined, pattern: RegExp): Promise<void> {
  const isThere = () => pattern.test(program?.stderr() ?? '');
  await until(`it logs ${pattern}`, isThere, WITHIN_MS).catch((error: Error) =>
    assert.fail(`${error.message}; it has logged: ${program?.stderr().slice(-TAIL)}`),
  );
}
