/** What readiness says of each fault, in real processes: within 10 s, naming the cure; and that no log calls it an error. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { connectDb } from '../../db/connection.js';
import { migrateDatabase } from '../../db/migrate.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { within } from '../../src/platform/concurrency/within.js';
import { openFaultyLine } from '../support/faults/faulty-line.js';
import { mountFreezableDisk } from '../support/faults/frozen-disk.js';
import { openSilentLine } from '../support/faults/silent-line.js';
import { mountSmallDisk } from '../support/faults/small-disk.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { until } from '../support/until.js';
import { queryOnce } from '../support/worlds/query-once.js';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';

const WITHIN_MS = 10_000;
const RECOVERED_MS = 30_000;
/** The longest grace period, and some more. */
const ENDED_MS = 30_000;

interface Part {
  readonly status: string;
  readonly message?: string;
  readonly cure?: string;
}

interface Web {
  readonly url: string;
  readonly program: RunningProgram;
  /** What /readyz answers now. */
  ready(): Promise<{ code: number; status: string; ageMs: number; parts: Readonly<Record<string, Part>> }>;
  /** Resolves when the part is not ok, with what is said of it. @throws when it is ok for 10 s */
  fault(part: string): Promise<Part & { readonly code: number }>;
  /** Resolves when /metrics and the operators' page say so too, with the cure. @throws when they do not within 10 s */
  toldEverywhere(part: string, cure: string | undefined): Promise<void>;
  /** Resolves when the part is ok. */
  works(part: string): Promise<void>;
}

describe('readiness', function () {
  this.timeout(120_000);

  let database: TestDatabase;
  let folder: string;
  const started: RunningProgram[] = [];
  const cleanups: (() => Promise<void> | void)[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'longshore-ready-'));
  });
  afterEach(async () => {
    for (const { process: child } of started) child.kill('SIGKILL');
    await Promise.all(started.splice(0).map(({ end }) => end));
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    DATABASE_URL: database.url,
    SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
    DATA_DIR: folder,
    PORT: '0',
  });

  function run(entry: string, args: readonly string[], over: Record<string, string>): RunningProgram {
    const program = runProgram(entry, args, { ...environment(), ...over });
    started.push(program);
    return program;
  }

  async function startWeb(over: Record<string, string> = {}): Promise<Web> {
    const program = run('app/api/main.js', [], { METRICS_PORT: '0', ...over });
    const [, url = ''] = await program.said(/"url":"([^"]+)","msg":"listening"/);
    const [, metricsUrl = ''] = await program.said(/"url":"([^"]+)","msg":"metrics"/);
    const ready: Web['ready'] = async () => {
      const response = await fetch(`${url}/readyz`);
      return {
        code: response.status,
        ...((await response.json()) as { status: string; ageMs: number; parts: Record<string, Part> }),
      };
    };
    return {
      url,
      program,
      ready,
      fault: async (name) => {
        let found: (Part & { code: number }) | undefined;
        await until(
          `readiness reports the part ${name}`,
          async () => {
            const { code, parts } = await ready();
            const part = parts[name];
            if (part === undefined || part.status === 'ok') return false;
            found = { ...part, code };
            return true;
          },
          WITHIN_MS,
        );
        assert.ok(found !== undefined);
        return found;
      },
      toldEverywhere: async (name, cure = '') => {
        const authorization = `Bearer ${await operatorToken(over.DATABASE_URL)}`;
        let told: readonly boolean[] = [];
        await until(
          `the metrics and the page say ${cure}`,
          async () => {
            const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
            const page = await (await fetch(`${url}/admin`, { headers: { authorization } })).text();
            const gauge = new RegExp(
              `^longshore_part_status\\{part="${name}",cure="([^"]*)",process="[^"]*"\\} [12]$`,
              'm',
            );
            told = [gauge.exec(metrics)?.[1] === cure, page.includes(`What to do: ${cure}`)];
            return told.every(Boolean);
          },
          WITHIN_MS,
        ).catch((error: Error) => assert.fail(`${error.message}: [in the metrics, on the page] are ${told}`));
      },
      works: (name) =>
        until(`the part ${name} works`, async () => (await ready()).parts[name]?.status === 'ok', RECOVERED_MS),
    };
  }

  /** Without the tables there are no tokens, and the page asks for none. */
  async function operatorToken(url = database.url): Promise<string> {
    const db = connectDb({ url, poolMax: 1, name: 'longshore-test' });
    try {
      return (await createToken(db, { accountId: null, name: 'on call' })).token;
    } catch {
      return 'none';
    } finally {
      await db.destroy();
    }
  }

  async function startWorker(groups: readonly string[] = [], over: Record<string, string> = {}) {
    const worker = run('app/workers/main.js', groups, over);
    await worker.said(/"msg":"ready"/);
    return worker;
  }

  describe('on a database that was never migrated', () => {
    it('is down and names the command; the worker waits with one line, and both work once it has run', async () => {
      const name = `${database.name}_empty`;
      await queryOnce(database.url, `CREATE DATABASE ${name}`);
      const empty = new URL(database.url);
      empty.pathname = `/${name}`;
      cleanups.push(async () => {
        await queryOnce(database.url, `DROP DATABASE ${name} WITH (FORCE)`);
      });
      const over = { DATABASE_URL: empty.href };
      const web = await startWeb(over);
      const worker = run('app/workers/main.js', [], over);
      const { code, status, cure, message } = await web.fault('schema');
      assert.deepEqual([code, status], [503, 'down']);
      assert.match(message ?? '', /older than this release/);
      assert.equal(cure, 'run npm run release');
      await web.toldEverywhere('schema', cure);
      assert.equal((await web.ready()).parts.database?.status, 'ok', 'the database itself answers');
      await worker.said(/run npm run release; the worker waits for it/);
      await migrateDatabase(empty.href);
      await worker.said(/"msg":"ready"/);
      assert.equal(worker.stderr().match(/npm run release/g)?.length, 1);
      assert.doesNotMatch(worker.stderr(), /"stack"/);
      await web.works('schema');
      await web.works('workers');
      assert.deepEqual([(await web.ready()).code, (await web.ready()).status], [200, 'ok']);
    });

    it('is down as well when only the last migration is missing, and leaves a worker that waits free to end', async () => {
      const last = 'SELECT max(id) FROM schema_migration';
      const [{ name = '' } = {}] = await queryOnce(
        database.url,
        `DELETE FROM schema_migration WHERE id = (${last}) RETURNING name`,
      );
      const web = await startWeb();
      const worker = run('app/workers/main.js', [], {});
      const { code, message, cure } = await web.fault('schema');
      assert.deepEqual([code, cure], [503, 'run npm run release']);
      assert.match(message ?? '', /: 1 migration is missing$/);
      const [line] = await worker.said(/\{[^\n]*the worker waits for it[^\n]*/);
      assert.equal(JSON.parse(line).next, name);
      worker.process.kill('SIGTERM');
      assert.equal((await worker.end).code, 0);
    });
  });

  it('reports connections to the database that have gone silent, and that they are replaced', async () => {
    const line = await openSilentLine(database.url);
    cleanups.push(() => line.close());
    const web = await startWeb({ DATABASE_URL: line.url });
    await startWorker();
    await web.works('workers');
    // Between two rounds of checks: one that opens a connection now would go on with that.
    await until('a round of checks has just ended', async () => (await web.ready()).ageMs < 500, WITHIN_MS);
    assert.ok(line.silence() > 0);
    const { code, message, cure } = await web.fault('database');
    assert.equal(code, 200);
    assert.match(message ?? '', /silent, and new ones work/);
    assert.match(cure ?? '', /replaced within 15 s/);
    await web.works('database');
    assertNoError(web.program);
  });

  it('is down while another session locks the tokens, and names it; and degraded while it locks jobs', async () => {
    const web = await startWeb({ LOCK_WAIT_MS: '1000' });
    const announce = await announcer(web);
    await web.works('database');
    const other = new pg.Client(database.url);
    await other.connect();
    cleanups.push(() => other.end());
    const [{ pid = 0 } = {}] = (await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    for (const [table, code] of [
      ['access_token', 503],
      ['job', 200],
    ] as const) {
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const found = await web.fault('database');
      assert.match(found.message ?? '', new RegExp(`^the table ${table} is locked by another session`));
      assert.ok(found.cure?.includes(`pg_terminate_backend(${pid})`), found.cure);
      assert.equal(found.code, code, table);
      // Requests wait for the lock until their time is over, and readiness goes on saying why.
      const answers = await Promise.all(Array.from({ length: 8 }, announce));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503]);
      const still = await web.ready();
      assert.deepEqual([still.code, still.parts.database?.message], [code, found.message]);
      await other.query('ROLLBACK');
      await web.works('database');
      assert.equal((await announce()).status, 200);
    }
  });

  it('names max_connections while Postgres has no connection left', async () => {
    const web = await startWeb();
    await web.works('database');
    const taken = await takeConnections(database.url);
    cleanups.push(taken.release);
    const full = await web.fault('database');
    assert.equal(full.code, 200);
    assert.match(full.message ?? '', /no connection left \(max_connections\)/);
    assert.match(full.cure ?? '', /^raise max_connections/);
    await taken.release();
    await web.works('database');
  });

  it('reports the groups that no worker serves: those that were never started, stopped, or killed', async () => {
    const web = await startWeb();
    const bulk = await startWorker(['bulk', 'maintenance']);
    const rest = await startWorker(['export', 'webhook']);
    await web.works('workers');
    rest.process.kill('SIGTERM');
    await rest.end;
    const stopped = await web.fault('workers');
    assert.match(stopped.message ?? '', /serves export, webhook;/);
    assert.equal(stopped.cure, 'start a worker: npm run worker -- export webhook');
    assert.equal(stopped.code, 200);
    const others = await startWorker(['export', 'webhook']);
    await web.works('workers');
    bulk.process.kill('SIGKILL');
    assert.match((await web.fault('workers')).cure ?? '', /npm run worker -- bulk maintenance$/);
    others.process.kill('SIGTERM');
    await others.end;
    await web.toldEverywhere('workers', 'start a worker: npm run worker -- bulk export webhook maintenance');
  });

  it('reports a file store with no free byte, or one that is read-only, and that it works again', async function () {
    const disk = mountSmallDisk(4);
    if (disk === undefined) return this.skip();
    cleanups.push(disk.remove);
    const web = await startWeb({ STORAGE_URL: pathToFileURL(disk.path).href, STORAGE_RESERVE_MB: '1' });
    await web.works('storage');
    const announce = await announcer(web);
    const put = (location: string) => fetch(location, { method: 'PUT', body: 'SKU\na\n' });
    assert.equal((await put(await locationOf(await announce()))).status, 200);
    const location = await locationOf(await announce());
    const upload = () => put(location);

    await disk.setReadOnly(true);
    const away = await web.fault('storage');
    assert.equal(away.code, 200);
    assert.match(away.message ?? '', /uploads fail/);
    assert.match(away.cure ?? '', /STORAGE_URL/);
    const answers = await Promise.all(Array.from({ length: 20 }, upload));
    for (const { status } of answers) assert.equal(status, 503);
    await disk.setReadOnly(false);
    await web.works('storage');
    assertNoError(web.program);

    await disk.fill();
    const full = await web.fault('storage');
    assert.equal(full.code, 200);
    assert.match(full.message ?? '', /0 MiB of free space/);
    assert.match(full.cure ?? '', /free space on the disk of the file store/);
    await web.toldEverywhere('storage', full.cure);
    const refused = await upload();
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.match(await refused.text(), /reserved for work that was already accepted/);
    disk.free();
    await web.works('storage');
    assert.equal((await upload()).status, 200);
    const errors = linesAt(web.program, 50);
    assert.equal(errors.length, 1, 'only a person can free space, and one line says so');
    assert.match(errors[0] ?? '', /STORAGE_RESERVE_MB/);
  });

  it('reports a file store that hangs', async function () {
    const disk = mountFreezableDisk();
    if (disk === undefined) return this.skip();
    cleanups.push(disk.remove);
    const web = await startWeb({ STORAGE_URL: pathToFileURL(disk.path).href, STORAGE_RESERVE_MB: '0' });
    await web.works('storage');
    disk.freeze();
    try {
      const { code, cure } = await web.fault('storage');
      assert.equal(code, 200);
      assert.match(cure ?? '', /mounted and answers/);
    } finally {
      disk.thaw();
    }
    await web.works('storage');
  });

  it('ends on SIGTERM while the file store hangs', async () => {
    const web = await startWeb();
    const location = await locationOf(await (await announcer(web))());
    assert.equal((await fetch(location, { method: 'PUT', body: 'SKU\na\n' })).status, 200);
    const [{ storage_key: key = '' } = {}] = await queryOnce(database.url, 'SELECT storage_key FROM file');
    const path = join(folder, 'files', key);
    await rm(path);
    // Opening a pipe that nobody writes to blocks, as a network file system does whose server is gone.
    execFileSync('mkfifo', [path]);
    const worker = await startWorker(['bulk'], { SHUTDOWN_GRACE_MS: '3000' });
    const isPlanned = async () =>
      (await queryOnce(database.url, 'SELECT FROM job WHERE started_at IS NOT NULL')).length > 0;
    await until('the file is being read', isPlanned, WITHIN_MS);
    worker.process.kill('SIGTERM');
    assert.ok(await within(worker.end, ENDED_MS), 'it has ended');
  });

  it('reports the full disk of Postgres, although what is there can still be changed', async function () {
    const disk = mountSmallDisk(8);
    if (disk === undefined) return this.skip();
    cleanups.push(disk.remove);
    const [{ data_directory: data = '' } = {}] = await queryOnce(database.url, 'SHOW data_directory');
    const { uid, gid } = await stat(data);
    const location = join(disk.path, 'tables');
    await mkdir(location, { mode: 0o700 });
    await chown(location, uid, gid);
    await chmod(disk.path, 0o711);
    const space = `small_${randomUUID().slice(0, 8)}`;
    await queryOnce(database.url, `CREATE TABLESPACE ${space} LOCATION '${location}'`);
    cleanups.push(async () => {
      await queryOnce(database.url, 'ALTER TABLE job SET TABLESPACE pg_default');
      await queryOnce(database.url, `DROP TABLESPACE ${space}`);
    });
    const web = await startWeb();
    await web.works('database');
    const announce = await announcer(web);
    await queryOnce(database.url, `ALTER TABLE job SET TABLESPACE ${space}`);
    assert.equal((await announce()).status, 200);
    await disk.fill();
    // The pages that are there have room for some more rows.
    await until('a request is refused', async () => (await announce()).status === 503, WITHIN_MS);
    const { code, message, cure } = await web.fault('database');
    assert.equal(code, 200);
    assert.match(message ?? '', /refuses to write/);
    assert.match(cure ?? '', /free space on the disk of Postgres/);
    disk.free();
    await web.works('database');
    assert.equal((await announce()).status, 200);
  });

  it('reports a step that has been due for too long', async () => {
    const web = await startWeb({ STEP_WAIT_LIMIT_SECONDS: '1' });
    const announce = await announcer(web);
    const location = await locationOf(await announce());
    assert.equal((await fetch(location, { method: 'PUT', body: 'SKU\na\n' })).status, 200);
    const { code, message, cure } = await web.fault('steps');
    assert.equal(code, 200);
    assert.match(message ?? '', /the oldest due step of the group bulk has waited for \d+ s/);
    assert.match(cure ?? '', /npm run worker -- bulk/);
    await startWorker();
    await web.works('steps');
  });

  forEachBackend((backend) => {
    it('reports the outage of the queue or its database, and calls it no error', async () => {
      const line = await openSilentLine(database.url);
      cleanups.push(() => line.close());
      const onRedis = backend.redisUrl !== undefined;
      const over: Record<string, string> = onRedis ? { REDIS_URL: backend.redisUrl ?? '' } : { DATABASE_URL: line.url };
      const web = await startWeb(over);
      const worker = await startWorker([], over);
      await web.works('workers');
      const announce = await announcer(web);
      if (onRedis) await backend.requireRedis().kill();
      else await line.close();
      const part = onRedis ? 'queue' : 'database';
      const { code, cure } = await web.fault(part);
      assert.equal(code, onRedis ? 200 : 503);
      assert.match(cure ?? '', onRedis ? /start Redis/ : /start Postgres/);
      await web.toldEverywhere(part, cure);
      const answers = await Promise.all(Array.from({ length: 20 }, announce));
      for (const { status } of answers) assert.equal(status, onRedis ? 200 : 503);
      if (onRedis) {
        await backend.requireRedis().restart();
        await web.works('queue');
        await web.program.said(/"part":"queue","durationMs":\d+,"msg":"the part works again"/);
      }
      for (const program of [web.program, worker]) {
        assertNoError(program);
        assert.ok(warnings(program).length < 12, `it logged:\n${warnings(program).join('\n')}`);
      }
    });

    if (backend.name === 'redis') {
      it('reports a Redis that is silent on all connections, open and new; requests are accepted, and it works again', async () => {
        const line = await openFaultyLine(backend.redisUrl ?? '');
        cleanups.push(() => line.close());
        const web = await startWeb({ REDIS_URL: line.url });
        await web.works('queue');
        const announce = await announcer(web);
        line.set('silent');
        const { code, status, cure } = await web.fault('queue');
        assert.deepEqual([code, status], [200, 'degraded']);
        assert.match(cure ?? '', /start Redis/);
        const upload = await fetch(await locationOf(await announce()), { method: 'PUT', body: 'SKU\na\n' });
        assert.equal(upload.status, 200);
        line.set('pass');
        await web.works('queue');
        assertNoError(web.program);
      });
    }
  });

  async function announcer(web: Web): Promise<() => Promise<Response>> {
    const db = connectDb({ url: database.url, poolMax: 1, name: 'longshore-test' });
    try {
      const { id } = await createAccount(db, { name: 'test' });
      const { token } = await createToken(db, { accountId: id, name: 'test' });
      return () =>
        fetch(`${web.url}/files/product`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'x-site-context': JSON.stringify({ account: id }),
            'content-type': 'application/json',
          },
          body: JSON.stringify({ fileName: 'items.csv', fileType: 'ITEM_IMPORT' }),
        });
    } finally {
      await db.destroy();
    }
  }
});

/** Opens connections until Postgres refuses one. */
async function takeConnections(url: string): Promise<{ release(): Promise<void> }> {
  const taken: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      break;
    }
    taken.push(client);
  }
  return { release: async () => void (await Promise.all(taken.splice(0).map((client) => client.end()))) };
}

async function locationOf(announced: Response): Promise<string> {
  return ((await announced.json()) as { location: string }).location;
}

function linesAt(program: RunningProgram, level: number): string[] {
  const lines = program.stderr().split('\n');
  return lines.filter((line) => line.startsWith('{') && (JSON.parse(line) as { level: number }).level === level);
}

function warnings(program: RunningProgram): string[] {
  return linesAt(program, 40);
}

function assertNoError(program: RunningProgram): void {
  assert.deepEqual([...linesAt(program, 50), ...linesAt(program, 60)], []);
}
