/** `npm run admin -- doctor` finds planted mistakes, each with its cure, and no others. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { connectDb } from '../../../db/connection.js';
import { examine } from '../../../src/admin/doctor.js';
import { SEALED_COLUMNS } from '../../../src/admin/sealed-columns.js';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { callbackSecrets } from '../../../src/domain/access/callback-secret.js';
import { createPublishedFile } from '../../../src/domain/exports/published-files.js';
import { queryOnce } from '../../support/worlds/query-once.js';
import { NOBODY_LISTENS } from '../../support/worlds/reserved-port.js';
import { runProgram } from '../../support/worlds/run-program.js';
import { createTestDatabase, type TestDatabase } from '../../support/worlds/test-database.js';
import { skipWithoutRedis, startTestRedis, type TestRedis } from '../../support/worlds/test-redis.js';

const KEY = 'a-key-for-tests-only-of-enough-characters';

type Finding = Awaited<ReturnType<typeof examine>>[number];

describe('the doctor', function () {
  this.timeout(60_000);

  let database: TestDatabase;
  let folder: string;
  before(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'longshore-doctor-'));
    const db = connectDb({ url: database.url, poolMax: 1, name: 'longshore-test' });
    const { id } = await createAccount(db, { name: 'test' });
    await callbackSecrets(db, [KEY], id);
    await db.destroy();
  });
  after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const environment = () => ({ DATABASE_URL: database.url, SECRETS_KEY: KEY, DATA_DIR: folder });
  const look = (over: Record<string, string> = {}, now?: () => number) => examine({ ...environment(), ...over }, now);
  const sql = (statement: string) => queryOnce(database.url, statement);

  /** The server of the tests need not be durable. */
  const isOfTests = ({ check, found }: Finding) =>
    check === 'database settings' && /(fsync|commit|writes) is off/.test(found);

  function assertFinds(findings: readonly Finding[], check: string, found: RegExp, cure: RegExp): void {
    const matching = findings.filter((one) => one.check === check && found.test(one.found) && one.status !== 'ok');
    assert.equal(matching.length, 1, `${check}: ${found} in ${JSON.stringify(findings, null, 1)}`);
    assert.match(matching[0]?.cure ?? '', cure);
  }

  it('finds nothing wrong with a sound installation, but that nobody works', async () => {
    const findings = await look();
    assert.deepEqual(
      findings.filter((finding) => finding.status === 'wrong' && !isOfTests(finding)),
      [],
    );
    assertFinds(findings, 'workers', /no worker process serves bulk, export, webhook, maintenance/, /npm run worker/);
    const { found = '' } = findings.find(({ check }) => check === 'connections') ?? {};
    // As docs/run/install.md counts them: 10 and a few of web, and of a worker 8 + 4 + 2 * 3 + 16, and 13 for its queues.
    assert.match(found, /^one web and one worker process use up to 62 connections, /);
    const fine = findings.filter(({ status }) => status === 'ok').map(({ check }) => check);
    for (const check of ['version', 'settings', 'database', 'schema', 'queue', 'storage', 'permissions', 'secrets'])
      assert.ok(fine.includes(check), `${check} in ${fine.join(' ')}`);
  });

  it('finds a wrong variable, and examines the rest nevertheless', async () => {
    const findings = await look({ PORT: 'many', UPLOAD_MAX_MB: '0' });
    assertFinds(findings, 'settings', /^PORT: expected a whole number/, /correct PORT/);
    assertFinds(findings, 'settings', /^UPLOAD_MAX_MB: /, /correct UPLOAD_MAX_MB/);
    assert.ok(findings.some(({ check, status }) => check === 'schema' && status === 'ok'));
  });

  it('finds a misspelled variable', async () => {
    assertFinds(
      await look({ REDIS_URI: 'redis://x' }),
      'settings',
      /REDIS_URI is set/,
      /rename REDIS_URI to REDIS_URL/,
    );
  });

  it('finds a key that does not open what is stored', async () => {
    const db = connectDb({ url: database.url, poolMax: 1, name: 'longshore-test' });
    const address = { name: 'Marketplace', whenEmpty: 'WRITE' } as const;
    await db.transaction(async (trx) => {
      await trx.raw("INSERT INTO site (account_id, stage) SELECT id, 'sealed' FROM account");
      const { id } = await trx('site').where({ stage: 'sealed' }).first('id');
      await createPublishedFile(trx, id, [KEY], address);
    });
    await db.destroy();
    const findings = await look({ SECRETS_KEY: 'another-key-of-enough-characters-for-it' });
    const found = /does not open stored secrets: 1 of account, 1 of published_file$/;
    assertFinds(findings, 'secrets', found, /add the key/);
  });

  it('looks at each place for which something is encrypted', () => {
    const domain = fileURLToPath(new URL('../../../../src/domain', import.meta.url));
    const files = readdirSync(domain, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const places = files.flatMap((file) => {
      const text = readFileSync(join(domain, file), 'utf8');
      return [...text.matchAll(/return `(\w+) \$\{\w+\} (\w+)`;/g)].map(([, table, place]) => `${table} ${place}`);
    });
    const columns = SEALED_COLUMNS.map(({ table, sealedFor, place }) => `${sealedFor?.table ?? table} ${place}`);
    assert.ok(places.length >= 8);
    assert.deepEqual(new Set(columns), new Set(places));
  });

  it('finds a migration that is missing', async () => {
    const [{ name = '' } = {}] = await sql('SELECT name FROM schema_migration ORDER BY id DESC LIMIT 1');
    await sql(`DELETE FROM schema_migration WHERE name = '${name}'`);
    try {
      assertFinds(await look(), 'schema', /older than this release: 1 migration is/, /npm run release/);
    } finally {
      await sql(`INSERT INTO schema_migration (name, batch, migration_time) VALUES ('${name}', 1, now())`);
    }
  });

  it('finds a job that has not ended and that nothing refers to', async () => {
    await sql(`INSERT INTO site (account_id, stage) SELECT id, 'production' FROM account ON CONFLICT DO NOTHING`);
    await sql(`INSERT INTO job (id, site_id, account_id, type, kind, status, options, shared, step, line_no, updated_at)
      SELECT '000000010000000000000001', site.id, account_id, 'ITEM_BULK_INSERT', 'item', 'SCHEDULED', '{}', true, 'plan', 1,
        now() - interval '1 hour' FROM site LIMIT 1`);
    try {
      const cure = /let a maintenance process of this one run/;
      assertFinds(await look(), 'jobs', /nothing refers to 1 job that has not ended: 000000010000000000000001$/, cure);
    } finally {
      await sql('DELETE FROM job');
    }
    assert.ok((await look()).some(({ check, status }) => check === 'jobs' && status === 'ok'));
  });

  it('finds privileges that the role lacks', async () => {
    const role = `${database.name}_reader`;
    await sql(`CREATE ROLE ${role} LOGIN PASSWORD 'reader'`);
    await sql(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}; GRANT USAGE ON SCHEMA bullmq TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA bullmq TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA bullmq TO ${role}`);
    try {
      const url = new URL(database.url);
      Object.assign(url, { username: role, password: 'reader' });
      const findings = await look({ DATABASE_URL: url.href });
      assertFinds(findings, 'permissions', /lacks DELETE, INSERT, UPDATE on public\.\w+, and privileges on/, /GRANT/);
    } finally {
      await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it('finds commits that do not wait for the disk, a read-only database, and too few connections', async () => {
    const { name } = database;
    await sql(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    await sql(`ALTER DATABASE ${name} CONNECTION LIMIT 9`);
    try {
      const findings = await look();
      assertFinds(findings, 'database settings', /synchronous_commit is off/, /to on/);
      assertFinds(findings, 'connections', /CONNECTION LIMIT of the database leaves 9/, /raise .* or lower/);
      await sql(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      const readOnly = await look();
      assertFinds(readOnly, 'database settings', /read_only is on/, /RESET/);
      assertFinds(readOnly, 'database', /refuses to write/, /primary/);
    } finally {
      const elsewhere = new URL(database.url);
      elsewhere.pathname = '/postgres';
      await queryOnce(elsewhere.href, `ALTER DATABASE ${name} RESET ALL`);
      await queryOnce(elsewhere.href, `ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    }
  });

  it('finds a wrong password, and a server that does not answer', async () => {
    const url = new URL(database.url);
    url.password = 'wrong';
    assertFinds(await look({ DATABASE_URL: url.href }), 'database', /does not answer/, /correct the password/);
    url.port = String(NOBODY_LISTENS);
    assertFinds(await look({ DATABASE_URL: url.href }), 'database', /does not answer/, /start Postgres/);
  });

  it('finds a file store that is no folder, and one that is full', async () => {
    const path = join(folder, 'file');
    await writeFile(path, '');
    assertFinds(await look({ STORAGE_URL: pathToFileURL(path).href }), 'storage', /uploads fail/, /STORAGE_URL/);
    assertFinds(
      await look({ STORAGE_RESERVE_MB: '1048576' }),
      'storage',
      /less than its reserve/,
      /STORAGE_RESERVE_MB/,
    );
  });

  it('finds a clock that is wrong', async () => {
    assertFinds(await look({}, () => Date.now() + 90_000), 'clock', /Postgres differ by (89|90)\.\d s/, /NTP/);
  });

  it('ends with 1 when something is wrong, and shows it first', async () => {
    const { code, stdout } = await runProgram('app/admin/main.js', ['doctor'], { ...environment(), PORT: 'many' }).end;
    assert.equal(code, 1);
    assert.match(stdout, /^check +settings\nstatus +wrong\nfound +PORT: /);
  });

  describe('of queues on Redis', () => {
    let redis: TestRedis;
    before(async function () {
      skipWithoutRedis(this);
      redis = await startTestRedis();
    });
    after(() => redis?.stop());

    it('finds a server that may evict keys, and one that is a replica', async () => {
      const client = new Redis(redis.url);
      try {
        await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
        assertFinds(await look({ REDIS_URL: redis.url }), 'redis', /maxmemory-policy is allkeys-lru/, /noeviction/);
        await client.config('SET', 'maxmemory-policy', 'noeviction');
        await client.replicaof('127.0.0.1', NOBODY_LISTENS);
        assertFinds(await look({ REDIS_URL: redis.url }), 'redis', /it is a replica/, /primary/);
        await client.replicaof('NO', 'ONE');
        const findings = await look({ REDIS_URL: redis.url });
        assert.ok(findings.some(({ check, status }) => check === 'redis' && status === 'ok'));
      } finally {
        client.disconnect();
      }
    });

    it('finds a server that is not there, and a Cluster prefix without a hash tag', async () => {
      const nowhere = `127.0.0.1:${NOBODY_LISTENS}`;
      const lost = await look({ REDIS_URL: `redis://${nowhere}` });
      assertFinds(lost, 'queue', /accepts no jobs/, /start Redis/);
      assertFinds(lost, 'redis', /does not answer: .*ECONNREFUSED/, /start Redis/);
      const untagged = await look({ REDIS_URL: `redis+cluster://${nowhere}`, QUEUE_PREFIX: 'shop' });
      assertFinds(untagged, 'settings', /^QUEUE_PREFIX: .*hash tag/, /correct QUEUE_PREFIX/);
    });
  });
});
