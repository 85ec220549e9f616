/** `npm start`: one line when all is ready, credentials that last, one sentence when it cannot run, and an end that ends everything. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Credentials } from '../../src/launcher/credentials.js';
import { listProcesses, type RunningProcess, sendSignal } from '../../src/launcher/process-table.js';
import { within } from '../../src/platform/concurrency/within.js';
import { until } from '../support/until.js';
import { runStart, type StartProcess } from '../support/worlds/launcher-process.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { childrenOf, isRunning } from '../support/worlds/processes.js';
import { queryOnce } from '../support/worlds/query-once.js';
import { reservePort } from '../support/worlds/reserved-port.js';

const EVERYTHING_ENDS_WITHIN_MS = 10_000;

describe('npm start', function () {
  this.timeout(60_000);
  let folder: OpenFolder;
  let dataDir: string;
  let port: number;
  const started: StartProcess[] = [];

  before(() => {
    folder = makeOpenFolder();
  });
  after(() => folder.remove());

  beforeEach(async () => {
    // To make a database takes longer than what most tests are about: they share one.
    dataDir = join(folder.path, 'data');
    port = await reservePort();
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.stop('SIGTERM')));
  });

  /** For a test of the first start. */
  function withoutData(): void {
    dataDir = join(folder.path, `data-${port}`);
  }

  function start(environment: Record<string, string> = {}): StartProcess {
    const one = runStart({ DATA_DIR: dataDir, PORT: String(port), ...environment });
    started.push(one);
    return one;
  }

  async function startReady(environment?: Record<string, string>): Promise<StartProcess> {
    const one = start(environment);
    await one.ready;
    return one;
  }

  function credentials(): Credentials {
    return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  }

  function runtime(): { databaseUrl: string } {
    return JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as { databaseUrl: string };
  }

  it('finds its data and credentials again, under another port too, and makes new tokens if they were lost; SIGINT and SIGHUP end all its processes in order', async () => {
    const first = await startReady();
    const before = credentials();
    const { account: id } = before;
    const renamed = `UPDATE account SET name = 'Renamed' WHERE id = '${id}' RETURNING (SELECT name FROM account WHERE id = '${id}') AS was`;
    const [{ was = '' } = {}] = await queryOnce<{ was: string }>(runtime().databaseUrl, renamed);
    await endsInOrder(first, 'SIGINT');
    port = await reservePort();
    const second = await startReady();
    assert.deepEqual(credentials(), { ...before, baseUrl: `http://127.0.0.1:${port}` });
    assert.deepEqual(await queryOnce(runtime().databaseUrl, 'SELECT name FROM account'), [{ name: 'Renamed' }]);

    // The account of the embedded system is known by its name.
    await queryOnce(runtime().databaseUrl, `UPDATE account SET name = '${was}' WHERE id = '${id}'`);
    await endsInOrder(second, 'SIGHUP');
    rmSync(join(dataDir, 'credentials.json'));
    await startReady();
    const { account, token } = credentials();
    assert.equal(account, before.account);
    assert.notEqual(token, before.token);
  });

  it('refuses a port in use in one sentence, before anything is started', async () => {
    withoutData();
    const occupant = createServer().listen(port, '127.0.0.1');
    try {
      const one = start();
      assert.equal(await one.exit, 1);
      assert.equal(
        one.stderr().trimEnd(),
        `Port ${port} on 127.0.0.1 is in use by another program: stop that one, or set PORT to a free port.`,
      );
      assert.ok(!existsSync(join(dataDir, 'postgres')));
    } finally {
      occupant.close();
    }
  });

  it('refuses a DATA_DIR that cannot be made at once, with the reason', async function () {
    if (!existsSync('/proc/self')) this.skip();
    const one = start({ DATA_DIR: '/proc/longshore/data' });
    // The fault that this guards against is deaf to SIGTERM.
    if (!(await within(one.exit, 10_000))) await one.stop('SIGKILL');
    assert.equal(await one.exit, 1);
    assert.match(
      one.stderr().trimEnd(),
      /^DATA_DIR \/proc\/longshore\/data cannot be created: .* Set DATA_DIR to another folder\.$/,
    );
  });

  it('names each wrong variable and ends with 1', async () => {
    const one = start({ PORT: 'http', LOG_LEVEL: 'loud' });
    assert.equal(await one.exit, 1);
    assert.match(one.stderr(), /^PORT: expected a whole number.*\nLOG_LEVEL: expected trace,/);
  });

  it('brings nothing along in production', async () => {
    withoutData();
    const one = start({ NODE_ENV: 'production' });
    assert.equal(await one.exit, 1);
    assert.match(one.stderr(), /DATABASE_URL: is not set[\s\S]*SECRETS_KEY: is not set[\s\S]*PUBLIC_URL: is not set/);
    assert.ok(!existsSync(dataDir));
  });

  it('takes one Ctrl-C that comes twice, from the terminal and from npm, for one', async () => {
    const one = await startReady();
    one.process.kill('SIGINT');
    one.process.kill('SIGINT');
    assert.equal(await one.exit, 0);
    assert.ok(!existsSync(join(dataDir, 'postgres', 'postmaster.pid')));
  });

  it('ends within 10 s although a process does not', async () => {
    const one = await startReady();
    const processes = processesOf(one);
    sendSignal(requirePid(one, 'workers'), 'SIGSTOP');
    const askedAt = Date.now();
    assert.equal(await one.stop('SIGTERM'), 0);
    assert.ok(Date.now() - askedAt < EVERYTHING_ENDS_WITHIN_MS);
    assert.deepEqual(processes.filter(isRunning), []);
  });

  it('ends at once on a second signal', async () => {
    const one = await startReady();
    const processes = processesOf(one);
    sendSignal(requirePid(one, 'workers'), 'SIGSTOP');
    one.process.kill('SIGINT');
    await one.said(/stopping/);
    const askedAt = Date.now();
    assert.equal(await one.stop('SIGTERM'), 128 + 15);
    assert.ok(Date.now() - askedAt < 1_000);
    await until('all processes have ended', () => !processes.some(isRunning), 10_000);
  });

  it('can be told to end while it is still starting', async () => {
    withoutData();
    const one = start();
    await one.said(/preparing the database/);
    assert.equal(await one.stop('SIGTERM'), 0);
    assert.equal(one.stdout(), '');
    assert.deepEqual(
      listProcesses().filter(({ command }) => command.includes(dataDir)),
      [],
    );
  });

  it('leaves nothing running when it is killed, and starts again at once on the same port', async () => {
    const one = await startReady();
    const processes = processesOf(one);
    const before = credentials();
    await one.stop('SIGKILL');
    await startReady();
    assert.deepEqual(processes.filter(isRunning), []);
    assert.deepEqual(credentials(), before);
  });

  describe('while it runs', () => {
    let one: StartProcess;
    let itsPort: number;
    before(async () => {
      itsPort = await reservePort();
      dataDir = join(folder.path, 'running');
      one = runStart({ DATA_DIR: dataDir, PORT: String(itsPort) });
      assert.equal(await one.ready, `http://127.0.0.1:${itsPort}`);
    });
    beforeEach(() => {
      dataDir = join(folder.path, 'running');
      port = itsPort;
    });
    after(() => one.stop('SIGTERM'));

    it('has said only "ready" and the address on standard output, once the API answered', async () => {
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } })).status, 200);
      assert.equal(one.stdout(), `ready http://127.0.0.1:${port}\n`);
      // "ready" has come by another pipe, and can be read first.
      await one.said(/next {9}DATA_DIR=\S+ npm run longshore -- /);
      assertSaysWhereToGo(one.stderr());
      assert.ok(one.stderr().includes(`next         DATA_DIR=${dataDir} npm run longshore -- `), one.stderr());
    });

    it('writes credentials that work, for its owner only', async () => {
      const { baseUrl, account, token, operatorToken } = credentials();
      assert.equal(statSync(join(dataDir, 'credentials.json')).mode & 0o777, 0o600);
      assert.equal(baseUrl, `http://127.0.0.1:${port}`);
      assert.match(account, /^[0-9a-f]{24}$/);
      const context = { 'x-site-context': JSON.stringify({ account }) };
      assert.equal((await get('/api-category/v1/category', token, context)).status, 200);
      assert.equal((await get('/api-category/v1/category', operatorToken, context)).status, 403);
      assert.equal((await get('/admin/queues', operatorToken)).status, 200);
      assert.equal((await get('/admin/queues', token)).status, 403);
    });

    it('shows a link to the console that logs in once, as the token of the credentials', async () => {
      const [, code = ''] = /\/console\/#code=(lsc_[\w-]{43}) \(logs in once/.exec(one.stderr()) ?? [];
      const origin = `http://127.0.0.1:${port}`;
      const logIn = () =>
        fetch(`${origin}/api/v2/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin, connection: 'close' },
          body: JSON.stringify({ code }),
        });
      const first = await logIn();
      assert.equal(first.status, 200);
      const { accountId, role } = (await first.json()) as { accountId: string; role: string };
      assert.deepEqual([accountId, role], [credentials().account, 'owner']);
      const second = await logIn();
      assert.equal(second.status, 401);
      await second.body?.cancel();
    });

    it('runs side by side with another that has its own DATA_DIR and PORT, and refuses one that is in use', async () => {
      const other = { DATA_DIR: join(folder.path, 'other'), PORT: String(await reservePort()) };
      await startReady(other);
      assert.notEqual((await get('/readyz')).url, `http://127.0.0.1:${other.PORT}/readyz`);

      const third = start({ PORT: String(await reservePort()) });
      assert.equal(await third.exit, 1);
      assert.match(
        third.stderr(),
        new RegExp(`^DATA_DIR ${dataDir} is in use by another running Longshore \\(process ${one.process.pid}\\): `),
      );
      assert.equal((await get('/readyz')).status, 200);
    });

    it('starts a process again that dies', async () => {
      for (const program of ['workers', 'api'] as const) {
        const before = requirePid(one, program);
        sendSignal(before, 'SIGKILL');
        await until(`${program} runs again`, () => ![undefined, before].includes(pidOf(one, program)), 10_000);
      }
      await until(
        'the API answers again',
        () =>
          get('/readyz').then(
            ({ ok }) => ok,
            () => false,
          ),
        10_000,
      );
    });

    it('ends all its processes in order on SIGTERM, and has said no more', async () => {
      await endsInOrder(one, 'SIGTERM');
      assert.equal(one.stdout(), `ready http://127.0.0.1:${port}\n`);
    });
  });

  async function endsInOrder(one: StartProcess, signal: NodeJS.Signals): Promise<void> {
    const processes = processesOf(one);
    assert.ok(requirePid(one, 'api') && requirePid(one, 'workers') && processes.length >= 3);
    const askedAt = Date.now();
    assert.equal(await one.stop(signal), 0);
    assert.ok(Date.now() - askedAt < EVERYTHING_ENDS_WITHIN_MS);
    assert.deepEqual(processes.filter(isRunning), []);
    assert.ok(!existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'the database was shut down in order');
  }

  /** On standard error: each address with its place in the terminal, and the first command of the guide. */
  function assertSaysWhereToGo(said: string): void {
    for (const address of ['/guide', '/docs', '/admin']) {
      assert.ok(said.includes(`http://127.0.0.1:${port}${address}\n`) || said.includes(`${port}${address} `), said);
    }
    assert.ok(said.includes(`http://127.0.0.1:${port}/console/#code=lsc_`), said);
    assert.ok(said.includes(join(dataDir, 'credentials.json')), said);
  }

  async function get(path: string, token?: string, headers: Record<string, string> = {}): Promise<Response> {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url, { headers: { connection: 'close', ...authorization, ...headers } });
    await response.body?.cancel();
    return response;
  }
});

function processesOf(one: StartProcess): RunningProcess[] {
  return childrenOf(one.process.pid ?? 0);
}

function pidOf(one: StartProcess, program: 'api' | 'workers'): number | undefined {
  return processesOf(one).find(({ command }) => command.includes(`/app/${program}/main.js`))?.pid;
}

function requirePid(one: StartProcess, program: 'api' | 'workers'): number {
  const pid = pidOf(one, program);
  assert.ok(pid !== undefined, `the ${program} process runs`);
  return pid;
}
