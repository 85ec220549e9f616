/** Feeds of servers of others, from their save to the imported items: SFTP, https and S3, each a real server. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { AUTHORITY } from '../../support/faults/certificates.js';
import { fileAnswer, type HttpsServer, startHttps } from '../../support/http/https-server.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { until } from '../../support/until.js';
import { ShopFolder } from '../../support/worlds/feed-folder.js';
import type { RunningProgram } from '../../support/worlds/run-program.js';
import { skipWithoutS3, type TestS3, testS3 } from '../../support/worlds/test-s3.js';
import { skipWithoutSshd, startTestSshd, type TestSshd } from '../../support/worlds/test-sshd.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const CSV = 'Category Node,SKU,Title\nShelf,A,One\nShelf,B,Two\n';

describe('a feed of a server of others', function () {
  this.timeout(60_000);
  let world: World;
  let worker: RunningProgram;
  let shop: Shop;
  let feeds: ShopFolder;
  const trusted = mkdtempSync(join(tmpdir(), 'longshore-trusted-'));
  before(async () => {
    world = await startWorld({
      files: 'in a folder',
      environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' },
    });
    const authority = join(trusted, 'authority.pem');
    writeFileSync(authority, AUTHORITY);
    worker = await startWorkerProcess(world, {
      NODE_EXTRA_CA_CERTS: authority,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    });
  });
  after(async () => {
    await worker?.stop('SIGTERM');
    await world.stop();
    rmSync(trusted, { recursive: true, force: true });
  });
  beforeEach(async () => {
    shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
    feeds = new ShopFolder(shop, '');
  });

  /** Saves a feed, runs it twice, and says what the runs said. */
  async function takenFrom(connection: object, over: object = {}): Promise<readonly string[]> {
    const { id } = await feeds.make({ connection, ...over });
    const runs = [await feeds.run(id), await feeds.run(id)];
    for (const job of await feeds.imports()) await untilEnded(shop, job.id);
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['COMPLETED', 'COMPLETED'],
      JSON.stringify(runs.map(({ statusMessage }) => statusMessage)),
    );
    assert.deepEqual(
      (await shop.items()).map(({ sku }) => sku),
      ['A', 'B'],
    );
    assert.equal((await feeds.imports()).length, 1);
    return runs.map(({ statusMessage }) => statusMessage);
  }

  describe('by SFTP', () => {
    let sshd: TestSshd;
    before(async function () {
      skipWithoutSshd(this);
      sshd = await startTestSshd();
    });
    after(() => sshd?.stop());
    const connectionTo = (path: string, hostKey: string | null = null) => ({
      ...{ kind: 'sftp', host: '127.0.0.1', port: sshd.port, user: sshd.user, path, hostKey },
    });

    it('takes a file once, moves it away, and keeps the key that the server has shown', async () => {
      const path = sshd.newFolder();
      writeFileSync(join(path, 'items.csv'), CSV);
      const over = { secret: sshd.key, afterwards: { moveTo: 'done' } };
      const test = await shop.ask('POST', '/feeds/actions/test', {
        body: { ...feeds.body({ connection: connectionTo(path), ...over }) },
      });
      assert.deepEqual([test.reached, test.files[0].fate], [true, 'NEW'], JSON.stringify(test));
      const said = await takenFrom(connectionTo(path), over);
      assert.match(said[0] ?? '', /^1 new file taken/);
      assert.match(said[1] ?? '', /^no new file was taken/);
      assert.ok(existsSync(join(path, 'done', 'items.csv')));
      const [feed] = (await shop.ask('GET', '/feeds')).data;
      assert.ok(Object.values(sshd.hostKeys).includes(feed.connection.hostKey), feed.connection.hostKey);
      assert.doesNotMatch(JSON.stringify(feed), /PRIVATE KEY/);
    });

    it('is tried with its connection as it would be run', async () => {
      const path = sshd.newFolder();
      const pick = { take: 'newest', settleSeconds: 0 };
      const over = { secret: sshd.key, pick, afterwards: 'delete' };
      writeFileSync(join(path, 'items.csv'), CSV);
      const { id } = await feeds.make({ connection: connectionTo(path), ...over });
      assert.match((await feeds.run(id)).statusMessage, /^1 new file taken/);
      writeFileSync(join(path, 'older.csv'), CSV);
      utimesSync(join(path, 'older.csv'), new Date(), new Date(Date.now() - 3_600_000));
      assert.match((await feeds.run(id)).statusMessage, /older\.csv is older/);
      const { connection } = await feeds.get(id);
      for (const body of [{ feedId: id }, { feedId: id, connection }]) {
        const { files } = await shop.ask('POST', '/feeds/actions/test', { body });
        assert.deepEqual([files.length, files[0]?.fate], [1, 'REFUSED'], JSON.stringify(body));
      }
    });

    it('asks a server for its key before it tells it who we are', async () => {
      const path = sshd.newFolder();
      const connection = connectionTo(path);
      const asked = await shop.ask('POST', '/feeds/actions/test', { body: { connection, secret: null } });
      assert.deepEqual([asked.reached, asked.failure.code], [false, 'REFUSED_LOGIN'], JSON.stringify(asked));
      assert.ok(Object.values(sshd.hostKeys).includes(asked.hostKey), asked.hostKey);
      const given = { connection: { ...connection, hostKey: asked.hostKey }, secret: sshd.key };
      const test = await shop.ask('POST', '/feeds/actions/test', { body: given });
      assert.deepEqual([test.reached, test.hostKey], [true, null], JSON.stringify(test));
    });

    it('gets the files of a destination, whole and then what has changed, and loses older ones', async () => {
      const path = sshd.newFolder();
      const item = (sku: string) => shop.bulk('upsert', [{ sku, nodeName: 'Shelf', attributes: { Title: 'One' } }]);
      const body = { content: 'DELTA', keep: 2, connection: connectionTo(path), secret: sshd.key };
      const test = await shop.ask('POST', '/feeds/actions/test', { body: feeds.destinationBody(body) });
      assert.deepEqual([test.reached, test.writable, test.left], [true, true, null], JSON.stringify(test));
      assert.deepEqual(readdirSync(path), [], 'the file of the test is gone');
      const { id } = await feeds.makeDestination(body);
      for (const sku of ['A', 'B', 'C']) {
        await item(sku);
        const run = await feeds.run(id);
        assert.equal(run.status, 'COMPLETED', run.statusMessage);
      }
      assert.deepEqual(readdirSync(path).sort(), ['items-000002.csv', 'items-000003.csv']);
      assert.match(readFileSync(join(path, 'items-000003.csv'), 'utf8'), /_operation\nPRIMARY->Shelf,C,,One,UPSERT\n$/);
      assert.ok(Object.values(sshd.hostKeys).includes((await feeds.get(id)).connection.hostKey));
      // The same name again takes the place of the former file.
      const whole = await feeds.makeDestination({ ...body, name: 'Whole', content: 'WHOLE', fileName: 'all.csv' });
      for (const sku of ['D', 'E']) {
        await item(sku);
        await feeds.run(whole.id);
      }
      assert.match(readFileSync(join(path, 'all.csv'), 'utf8'), /A,,One\n(?:.*\n){3}PRIMARY->Shelf,E,,One\n$/);
    });

    it('fails truthfully when the server has another key than the one that was given', async () => {
      const path = sshd.newFolder();
      writeFileSync(join(path, 'items.csv'), CSV);
      const other = `SHA256:${'A'.repeat(43)}`;
      const { id } = await feeds.make({ connection: connectionTo(path, other), secret: sshd.key });
      const run = await feeds.run(id);
      assert.equal(run.status, 'FAILED', run.statusMessage);
      assert.equal((await feeds.get(id)).lastFailure.code, 'WRONG_HOST_KEY');
      assert.deepEqual(await feeds.imports(), []);
    });
  });

  describe('by https', () => {
    let server: HttpsServer;
    let answer: Parameters<typeof startHttps>[0];
    before(async () => {
      server = await startHttps((request, response) => answer(request, response));
    });
    after(() => server?.close());

    it('takes a file once, with the login that it needs', async () => {
      const file = fileAnswer(() => ({ bytes: Buffer.from(CSV) }));
      answer = (request, response) => {
        if (request.headers.authorization === 'Bearer let me in') file(request, response);
        else response.writeHead(401).end();
      };
      const connection = { kind: 'https', url: `${server.origin}/out/items.csv`, auth: { type: 'bearer' } };
      const said = await takenFrom(connection, { secret: 'let me in' });
      assert.match(said[1] ?? '', /^no new file was taken/);
    });

    it('gets the files of a destination, and the same one again that it did not take', async () => {
      const got: (readonly [path: string, text: string])[] = [];
      let isBusy = false;
      answer = async (request, response) => {
        if (request.headers['x-key'] !== 'k1') return void response.writeHead(401).end();
        const text = Buffer.concat(await request.toArray()).toString();
        if (request.method === 'PUT' && !isBusy) got.push([request.url ?? '', text]);
        response.writeHead(request.method === 'PUT' ? (isBusy ? 503 : 201) : 405).end();
      };
      const connection = { kind: 'https', url: `${server.origin}/in/`, auth: { type: 'header', name: 'X-Key' } };
      const body = { content: 'DELTA', connection, secret: 'k1' };
      const test = await shop.ask('POST', '/feeds/actions/test', { body: feeds.destinationBody(body) });
      // This process trusts no authority but those that everybody knows.
      assert.deepEqual(
        [test.reached, test.failure.code, test.writable],
        [false, 'UNREACHABLE', false],
        JSON.stringify(test),
      );
      const item = (sku: string) => shop.bulk('upsert', [{ sku, nodeName: 'Shelf', attributes: { Title: 'One' } }]);
      const { id } = await feeds.makeDestination({ ...body, schedule: { cron: '0 0 1 1 *', timeZone: 'UTC' } });
      await item('A');
      const first = await feeds.run(id);
      assert.equal(first.status, 'COMPLETED', first.statusMessage);
      await item('B');
      isBusy = true;
      const failed = await feeds.run(id);
      assert.deepEqual([failed.status, failed.reason], ['FAILED', 'UNREACHABLE'], failed.statusMessage);
      isBusy = false;
      await item('C');
      const run = await feeds.run(id);
      assert.equal(run.status, 'COMPLETED', run.statusMessage);
      assert.deepEqual(
        got.map(([path, text]) => [path, [...text.matchAll(/^PRIMARY->Shelf,(\w+),/gm)].map(([, sku]) => sku).join()]),
        [
          ['/in/items-000001.csv', 'A'],
          ['/in/items-000002.csv', 'B'],
          ['/in/items-000003.csv', 'C'],
        ],
      );
      const wrong = await feeds.makeDestination({ ...body, name: 'Wrong', secret: 'k2' });
      assert.deepEqual([(await feeds.run(wrong.id)).reason, got.length], ['REFUSED_LOGIN', 3]);
    });

    it('asks in later runs only for what is new', async () => {
      let content = CSV;
      const file = fileAnswer(() => ({ bytes: Buffer.from(content), headers: { etag: `"${content.length}"` } }));
      answer = (request, response) => {
        // A server that knows no HEAD.
        if (request.method === 'HEAD') response.writeHead(405).end();
        else file(request, response);
      };
      const { id } = await feeds.make({ connection: { kind: 'https', url: `${server.origin}/new.csv` } });
      const asked = () => server.requests.filter(({ path, method }) => path === '/new.csv' && method === 'GET');
      assert.match((await feeds.run(id)).statusMessage, /^1 new file taken/);
      const before = asked().length;
      assert.match((await feeds.run(id)).statusMessage, /^no new file was taken; 1 file seen; 1 taken before/);
      assert.deepEqual(
        asked()
          .slice(before)
          .map(({ headers }) => headers['if-none-match']),
        [`"${CSV.length}"`],
        'and was answered that there is none',
      );
      for (const job of await feeds.imports()) await untilEnded(shop, job.id);
      const { body } = await shop.call('POST', `/feeds/${id}/actions/take-again`, { body: { name: 'new.csv' } });
      await untilEnded(shop, body.jobId);
      assert.equal((await feeds.imports()).length, 2);
      content = `${CSV}Shelf,C,Three\n`;
      assert.match((await feeds.run(id)).statusMessage, /^1 new file taken/);
      const elsewhere = { kind: 'https', url: `${server.origin}/elsewhere.csv` };
      await shop.ask('PATCH', `/feeds/${id}`, { body: { connection: elsewhere } });
      assert.match((await feeds.run(id)).statusMessage, /^1 new file taken/);
      const [first] = server.requests.filter(({ path }) => path === '/elsewhere.csv');
      assert.equal(first?.headers['if-none-match'], undefined);
    });

    it('takes a changed file of a server that says nothing of it', async () => {
      let content = CSV;
      answer = (request, response) => response.end(request.method === 'HEAD' ? undefined : content);
      const { id } = await feeds.make({ connection: { kind: 'https', url: `${server.origin}/items.csv` } });
      assert.match((await feeds.run(id)).statusMessage, /^1 new file taken/);
      assert.match((await feeds.run(id)).statusMessage, /^no new file was taken/);
      content = CSV.replace('One', 'Six');
      assert.match((await feeds.run(id)).statusMessage, /^1 new file taken/);
      for (const job of await feeds.imports()) await untilEnded(shop, job.id);
      assert.deepEqual(Object.values((await shop.item('A'))?.attributes ?? {}), ['Six']);
    });

    it('is run beside many of another stage whose server does not answer', async () => {
      const file = fileAnswer(() => ({ bytes: Buffer.from(CSV) }));
      answer = (request, response) => {
        if (request.url !== '/silent.csv') file(request, response);
      };
      const jobs: string[] = [];
      for (let number = 0; number < 6; number++) {
        const connection = { kind: 'https', url: `${server.origin}/silent.csv` };
        const { id } = await feeds.make({ name: `Silent ${number}`, connection });
        jobs.push((await shop.call('POST', `/feeds/${id}/actions/run`)).body.jobId);
      }
      const asked = () => server.requests.filter(({ path }) => path === '/silent.csv').length;
      await until('runs wait for the server', () => asked() >= 2, 30_000);
      const other = await world.newShop();
      await other.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
      const others = new ShopFolder(other, '');
      const { id } = await others.make({ connection: { kind: 'https', url: `${server.origin}/items.csv` } });
      assert.match((await others.run(id)).statusMessage, /^1 new file taken/);
      for (const job of jobs) {
        await shop.call('POST', `/jobs/${job}/actions/cancel`);
        await untilEnded(shop, job);
      }
    });

    it('is run beside those of many stages of another account whose servers do not answer', async () => {
      const file = fileAnswer(() => ({ bytes: Buffer.from(CSV) }));
      let [held, mostHeld] = [0, 0];
      answer = (request, response) => {
        if (request.url !== '/mute.csv') return file(request, response);
        held++;
        mostHeld = Math.max(mostHeld, held);
        response.once('close', () => held--);
      };
      const jobs: { id: string; stage: string }[] = [];
      for (const stage of ['a', 'b', 'c', 'd', 'e']) {
        for (const name of ['One', 'Two']) {
          const body = feeds.body({ name, connection: { kind: 'https', url: `${server.origin}/mute.csv` } });
          const { id } = await shop.ask('POST', '/feeds', { body, context: { stage } });
          const { body: run } = await shop.call('POST', `/feeds/${id}/actions/run`, { context: { stage } });
          jobs.push({ id: run.jobId, stage });
        }
      }
      const other = await world.newShop();
      await other.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
      const others = new ShopFolder(other, '');
      const { id } = await others.make({ connection: { kind: 'https', url: `${server.origin}/items.csv` } });
      assert.match((await others.run(id)).statusMessage, /^1 new file taken/);
      assert.equal(mostHeld, 2, 'runs of the account that wait for the server at a time');
      for (const job of jobs) {
        await shop.call('POST', `/jobs/${job.id}/actions/cancel`, { context: { stage: job.stage } });
      }
      const left = async () =>
        (await world.db('job').where({ account_id: shop.account }).whereNull('completed_at')).length;
      await until('all of them have ended', async () => (await left()) === 0, 30_000);
    });

    it('takes no page that says in HTML what went wrong', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/csv' }).end('<!DOCTYPE html><html><body>Log in</body></html>');
      };
      const { id } = await feeds.make({ connection: { kind: 'https', url: `${server.origin}/items.csv` } });
      const run = await feeds.run(id);
      assert.notEqual(run.status, 'COMPLETED', run.statusMessage);
      const [report] = await feeds.runs(id);
      assert.match(JSON.stringify(report), /NOT_A_FILE/);
      assert.deepEqual(await feeds.imports(), []);
    });
  });

  /**
   * Hands over what a feed needs to reach a place in the bucket, behind TLS.
   * @param refuse answers a request in place of the store; false: it does not
   */
  async function withBucket(
    test: Mocha.Context,
    use: (s3: TestS3, prefix: string, connection: object, secret: string | undefined) => Promise<void>,
    refuse: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
  ): Promise<void> {
    skipWithoutS3(test);
    const s3 = await testS3();
    const prefix = new URL(s3.newPlace()).pathname.slice(1);
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secret } = s3.credentials;
    const { hostname, port } = new URL(s3.endpoint);
    const behindTls = await startHttps((request, response) => {
      if (refuse(request, response)) return;
      const { method = 'GET', url = '/', headers } = request;
      const passed = httpRequest({ hostname, port, method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    try {
      const place = { region: 'us-east-1', bucket: s3.bucket, prefix };
      await use(s3, prefix, { kind: 's3', endpoint: behindTls.origin, ...place, accessKeyId }, secret);
    } finally {
      await behindTls.close();
    }
  }

  it('in a bucket takes a file once', async function () {
    await withBucket(this, async (s3, prefix, connection, secret) => {
      await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/items.csv`, Body: CSV }));
      const said = await takenFrom(connection, { secret });
      assert.match(said[1] ?? '', /^no new file was taken/);
    });
  });

  const ARCHIVED =
    '<?xml version="1.0"?><Error><Code>InvalidObjectState</Code><Message>The operation is not valid for the storage class of the object</Message></Error>';

  it('in a bucket takes and moves the others when one is archived', async function () {
    await withBucket(
      this,
      async (s3, prefix, connection, secret) => {
        for (const name of ['a', 'b', 'c']) {
          const Body = `Category Node,SKU,Title\nShelf,${name.toUpperCase()},One\n`;
          await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/${name}.csv`, Body }));
        }
        const { id } = await feeds.make({ connection, secret, afterwards: 'delete' });
        const run = await feeds.run(id);
        assert.deepEqual([run.status, run.reason], ['COMPLETED_PARTIALLY', 'NOT_ALLOWED'], run.statusMessage);
        const [{ report }] = await feeds.runs(id);
        assert.deepEqual([report.taken, report.refused.map(({ name }: { name: string }) => name)], [2, ['b.csv']]);
        const { Contents: left = [] } = await s3.client.send(
          new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${prefix}/` }),
        );
        assert.deepEqual(
          left.map(({ Key: key }) => key),
          [`${prefix}/b.csv`],
        );
        assert.equal((await feeds.get(id)).failures, 0);
      },
      ({ method, url = '' }, response) => {
        if (method !== 'GET' || !new URL(url, 'https://x').pathname.endsWith('/b.csv')) return false;
        response.writeHead(403, { 'content-type': 'application/xml' }).end(ARCHIVED);
        return true;
      },
    );
  });

  it('in a bucket has what was taken moved when the store fails behind it', async function () {
    await withBucket(
      this,
      async (s3, prefix, connection, secret) => {
        for (const name of ['a', 'b']) {
          await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/${name}.csv`, Body: CSV }));
        }
        const { id } = await feeds.make({ connection, secret, afterwards: 'delete' });
        const run = await feeds.run(id);
        assert.deepEqual([run.status, run.reason], ['COMPLETED_PARTIALLY', 'UNREACHABLE'], run.statusMessage);
        const [file] = await feeds.files(id);
        assert.deepEqual([file.name, file.clearedAt !== null], ['a.csv', true]);
        assert.equal((await feeds.get(id)).failures, 1);
      },
      ({ method, url = '' }, response) => {
        if (method !== 'GET' || !new URL(url, 'https://x').pathname.endsWith('/b.csv')) return false;
        response.writeHead(503).end();
        return true;
      },
    );
  });

  it('in a bucket gets the files of a destination, and loses older ones', async function () {
    await withBucket(this, async (s3, prefix, connection, secret) => {
      const { id } = await feeds.makeDestination({ content: 'DELTA', keep: 1, connection, secret });
      for (const sku of ['A', 'B']) {
        await shop.bulk('upsert', [{ sku, nodeName: 'Shelf', attributes: { Title: 'One' } }]);
        const run = await feeds.run(id);
        assert.equal(run.status, 'COMPLETED', run.statusMessage);
      }
      const { Contents: found = [] } = await s3.client.send(
        new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${prefix}/` }),
      );
      assert.deepEqual(
        found.map(({ Key: key }) => key),
        [`${prefix}/items-000002.csv`],
      );
      const object = await s3.client.send(
        new GetObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/items-000002.csv` }),
      );
      assert.match((await object.Body?.transformToString()) ?? '', /_operation\nPRIMARY->Shelf,B,,One,UPSERT\n$/);
    });
  });
});
