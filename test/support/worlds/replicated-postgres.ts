/** A Postgres with a replica that streams from it: for what a failover may do to those who read on. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDb, type Db } from '../../../db/connection.js';
import { migrateDatabase } from '../../../db/migrate.js';
import { guardAgainstOurDeath } from '../../../src/launcher/death-guard.js';
import { locatePostgres } from '../../../src/launcher/postgres/binaries.js';
import { createCluster } from '../../../src/launcher/postgres/cluster.js';
import { SUPERUSER, serverArguments, serverEnvironment } from '../../../src/launcher/postgres/server-settings.js';
import { findServerUser } from '../../../src/launcher/server-user.js';
import { until } from '../until.js';
import { queryOnce } from './query-once.js';
import { reservePort } from './reserved-port.js';

export interface ReplicatedPostgres {
  readonly primary: Db;
  readonly replica: Db;
  /** Resolves when the replica has applied all that is committed on the primary now. */
  caughtUp(): Promise<void>;
  /** The replica gets nothing any more. */
  cutOff(): Promise<void>;
  /** Ends the primary, and makes the replica one, without what it has not got. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

const PASSWORD = 'replicated';
const DATABASE = 'longshore';
const START_MS = 60_000;
const CATCH_UP_MS = 30_000;

const urlOf = (port: number, database = DATABASE) =>
  `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/${database}`;

/** Starts both on a migrated database. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const user = findServerUser('/nonexistent');
  const binaries = locatePostgres(user);
  const folder = mkdtempSync(join(tmpdir(), 'longshore-'));
  chmodSync(folder, 0o755);
  if (user.ids !== undefined) chownSync(folder, user.ids.uid, user.ids.gid);
  const [data, copy] = [join(folder, 'primary'), join(folder, 'replica')];
  const running: { stop(): Promise<void> }[] = [];
  const connect = (port: number): Db => {
    const db = connectDb({ url: urlOf(port), poolMax: 2, name: 'longshore-test' });
    running.push({ stop: () => db.destroy() });
    return db;
  };

  async function start(cluster: string) {
    const port = await reservePort();
    const settings = { wal_level: 'replica', max_wal_senders: 4, hot_standby: 'on' };
    const more = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = [...serverArguments({ cluster, port, clusterName: 'longshore-replicated', durable: false }), ...more];
    const child = spawn(binaries.postgres, args, { ...user.ids, cwd: '/', env: serverEnvironment(), stdio: 'ignore' });
    const guard = guardAgainstOurDeath(child.pid ?? 0, folder);
    const stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      guard.dismiss();
      child.kill('SIGINT');
      await once(child, 'exit');
    };
    running.push({ stop });
    const answers = () => queryOnce(urlOf(port, 'postgres'), 'SELECT').then(isDone, isNot);
    await until(`the server of ${cluster} answers`, answers, START_MS);
    return { port, stop };
  }

  await createCluster({ folder: data, binaries, user, password: PASSWORD, durable: false });
  const alone = await start(data);
  await queryOnce(urlOf(alone.port, 'postgres'), `CREATE DATABASE ${DATABASE}`);
  await migrateDatabase(urlOf(alone.port));
  await alone.stop();
  execFileSync('/bin/sh', ['-c', 'cp -R "$1" "$2" && chmod 700 "$2"', 'sh', data, copy], { ...user.ids, cwd: '/' });
  const first = await start(data);
  // In its file, not on its command line: the replica is told another one while it runs.
  appendFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${urlOf(first.port, 'postgres')}'\n`);
  appendFileSync(join(copy, 'standby.signal'), '');
  const second = await start(copy);
  const [primary, replica] = [connect(first.port), connect(second.port)];

  const ask = async <T>(db: Db, sql: string, bindings: readonly string[] = []): Promise<T | undefined> =>
    (await db.raw<{ rows: { answer: T }[] }>(`SELECT ${sql} AS answer`, [...bindings])).rows[0]?.answer;
  return {
    primary,
    replica,
    caughtUp: async () => {
      const written = (await ask<string>(primary, 'pg_current_wal_insert_lsn()::text')) ?? '';
      const applied = async () =>
        (await ask<boolean>(replica, 'pg_last_wal_replay_lsn() >= ?::pg_lsn', [written])) === true;
      await until('the replica has caught up', applied, CATCH_UP_MS);
    },
    cutOff: async () => {
      await replica.raw("ALTER SYSTEM SET primary_conninfo = ''");
      await replica.raw('SELECT pg_reload_conf()');
      const isCut = async () => (await ask<boolean>(replica, 'NOT EXISTS (SELECT FROM pg_stat_wal_receiver)')) === true;
      await until('the replica receives nothing', isCut, CATCH_UP_MS);
    },
    failOver: async () => {
      await first.stop();
      await replica.raw('SELECT pg_promote(true, 60)');
    },
    stop: async () => {
      for (const one of running.reverse()) await one.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const isDone = () => true;
const isNot = () => false;
