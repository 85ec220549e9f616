/** The embedded Postgres keeps what it was given, whatever ends it, and says in a sentence what keeps it from running. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/launcher/embedded-postgres.js';
import { LaunchError } from '../../src/launcher/launch-error.js';
import type { EmbeddedPostgres } from '../../src/launcher/postgres/start-server.js';
import { listProcesses, processIdentity, sendSignal } from '../../src/launcher/process-table.js';
import { until } from '../support/until.js';
import { type EmbeddedProcess, runEmbedded } from '../support/worlds/embedded-process.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { untilGone } from '../support/worlds/processes.js';
import { queryOnce } from '../support/worlds/query-once.js';

describe('embedded Postgres', () => {
  let folder: OpenFolder;
  let dataDir: string;
  const servers: EmbeddedPostgres[] = [];
  const launchers: EmbeddedProcess[] = [];
  let lastFolder = 0;

  before(() => {
    folder = makeOpenFolder();
  });
  after(() => folder.remove());

  beforeEach(() => {
    // To make a cluster takes longer than what most tests are about: they share one.
    dataDir = join(folder.path, 'data');
  });

  afterEach(async () => {
    await Promise.all(launchers.splice(0).map((launcher) => launcher.stop('SIGTERM')));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  /** For a test of the first start. */
  function withoutData(): void {
    lastFolder += 1;
    dataDir = join(folder.path, `data-${lastFolder}`);
  }

  async function start(at = dataDir): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({ dataDir: at });
    servers.push(server);
    return server;
  }

  function launch(): EmbeddedProcess {
    const launcher = runEmbedded({ dataDir });
    launchers.push(launcher);
    return launcher;
  }

  async function launched(launcher: EmbeddedProcess): Promise<{ url: string; pid: number }> {
    const { url, pid, refused } = await launcher.outcome;
    assert.ok(url !== undefined && pid !== undefined, `it runs, but: ${refused}`);
    return { url, pid };
  }

  it('keeps its data, its password and its port over a restart', async () => {
    const first = await start();
    await writeNote(first.databaseUrl('postgres'));
    await first.stop();
    const second = await start();
    assert.equal(second.databaseUrl(), first.databaseUrl());
    await assertNoteKept(second.databaseUrl('postgres'));
  });

  it('is durable and speaks UTF-8', async () => {
    const server = await start();
    const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'password_encryption'];
    const [row] = await queryOnce(
      server.databaseUrl('postgres'),
      `SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`).join()}`,
    );
    assert.deepEqual(row, {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      server_encoding: 'UTF8',
      password_encryption: 'scram-sha-256',
    });
  });

  it('lets nobody in without the password, which only its owner can read', async () => {
    const server = await start();
    const url = new URL(server.databaseUrl('postgres'));
    url.password = 'guess';
    await assert.rejects(queryOnce(url.href, 'SELECT 1'), /password authentication failed/);
    assert.equal(statSync(join(dataDir, 'postgres.json')).mode & 0o777, 0o600);
  });

  it('ends by itself when its launcher is killed, and the next start has all that was committed', async () => {
    const launcher = launch();
    const { url, pid } = await launched(launcher);
    await writeNote(url);
    await launcher.stop('SIGKILL');
    await untilGone(pid, 10_000);
    await assertNoteKept((await start()).databaseUrl('postgres'));
  });

  it('starts at once after a kill, ending the server that was left behind', async () => {
    const launcher = launch();
    const { url, pid } = await launched(launcher);
    await writeNote(url);
    killGuardOf(pid);
    await launcher.stop('SIGKILL');
    assert.ok(processIdentity(pid) !== undefined, 'the server outlives its launcher');
    const server = await start();
    assert.notEqual(server.process.pid, pid);
    await untilGone(pid, 1_000);
    await assertNoteKept(server.databaseUrl('postgres'));
  });

  it('starts after launcher and server were killed in the middle of a long statement', async () => {
    const launcher = launch();
    const { url, pid } = await launched(launcher);
    await writeNote(url);
    const lost = assert.rejects(queryOnce(url, 'SELECT count(*) FROM generate_series(1, 10000000000)'));
    await until('the statement runs', async () => (await queryOnce(url, BUSY)).length > 0, 10_000);
    killGuardOf(pid);
    sendSignal(pid, 'SIGKILL');
    await launcher.stop('SIGKILL');
    await assertNoteKept((await start()).databaseUrl('postgres'));
    await lost;
  });

  it('is started again when it crashes', async () => {
    const server = await start();
    const url = server.databaseUrl('postgres');
    await writeNote(url);
    const crashed = server.process.pid;
    server.process.kill('SIGKILL');
    await until('it runs again', () => server.process.isRunning && server.process.pid !== crashed, 10_000);
    await until('it answers', async () => queryOnce(url, 'SELECT 1').then(Boolean, () => false), 10_000);
    await assertNoteKept(url);
  });

  it('runs side by side with another on other data', async () => {
    const [one, other] = await Promise.all([start(), start(join(folder.path, 'other'))]);
    await writeNote(one.databaseUrl('postgres'));
    assert.deepEqual(await queryOnce(other.databaseUrl('postgres'), NOTE_TABLES), []);
  });

  it('refuses data that a running launcher uses, which is not disturbed', async () => {
    const first = await launched(launch());
    const { refused } = await launch().outcome;
    assert.match(
      refused ?? '',
      new RegExp(`^DATA_DIR ${dataDir} is in use by another running Longshore \\(process \\d+\\): `),
    );
    await writeNote(first.url);
  });

  it('lets one of two that start at the same moment run', async () => {
    withoutData();
    const outcomes = await Promise.all([launch(), launch(), launch(), launch()].map(({ outcome }) => outcome));
    assert.equal(outcomes.filter(({ url }) => url !== undefined).length, 1);
    assert.equal(outcomes.filter(({ refused }) => refused?.includes('is in use by')).length, 3);
  });

  it('begins anew when it was killed while its data was being prepared', async () => {
    withoutData();
    const launcher = launch();
    await launcher.said(/"said":"preparing the database/);
    await launcher.stop('SIGKILL');
    assert.ok(!existsSync(join(dataDir, 'postgres')), 'half a cluster does not bear the name of a whole one');
    await writeNote((await start()).databaseUrl('postgres'));
  });

  it('is not misled by a pid file that names a process of somebody else', async () => {
    await (await start()).stop();
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.ppid}\n${join(dataDir, 'postgres')}\n`);
    await writeNote((await start()).databaseUrl('postgres'));
  });

  it('finds its data again when the file with its password was lost', async () => {
    const first = await start();
    await writeNote(first.databaseUrl('postgres'));
    await first.stop();
    rmSync(join(dataDir, 'postgres.json'));
    await assertNoteKept((await start()).databaseUrl('postgres'));
  });

  it('names a folder of something else that stands in its place', async () => {
    withoutData();
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'holiday.txt'), '');
    await assert.rejects(start(), sentence(`${dataDir}/postgres holds something other than Postgres' data`));
    assert.deepEqual(readdirSync(join(dataDir, 'postgres')), ['holiday.txt']);
  });

  it('names data of another version', async () => {
    withoutData();
    mkdirSync(join(dataDir, 'postgres'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '13\n');
    await assert.rejects(start(), sentence(`The data in ${dataDir}/postgres was written by Postgres 13`));
  });

  it('names a file that stands where DATA_DIR should be', async () => {
    withoutData();
    writeFileSync(dataDir, '');
    await assert.rejects(start(), sentence(`DATA_DIR ${dataDir} is a file, or is below a file`));
  });
});

const BUSY =
  "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%10000000000%' AND pid <> pg_backend_pid()";
const NOTE_TABLES = "SELECT FROM pg_tables WHERE tablename = 'note'";

async function writeNote(url: string): Promise<void> {
  await queryOnce(url, 'DROP TABLE IF EXISTS note');
  await queryOnce(url, 'CREATE TABLE note AS SELECT 42 AS kept');
}

async function assertNoteKept(url: string): Promise<void> {
  assert.deepEqual(await queryOnce(url, 'SELECT kept FROM note'), [{ kept: 42 }]);
}

function sentence(beginning: string): (error: unknown) => boolean {
  return (error) => error instanceof LaunchError && error.message.startsWith(beginning);
}

/** The shell that would end the server after its launcher's death. */
function killGuardOf(server: number): void {
  const guard = listProcesses().find(
    ({ command }) => command.startsWith('/bin/sh -c') && command.endsWith(` sh ${server}`),
  );
  assert.ok(guard, 'the server has a guard');
  sendSignal(guard.pid, 'SIGKILL');
}
