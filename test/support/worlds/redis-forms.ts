/** Redis as it runs in production, on loopback: with TLS, behind Sentinels, and as a Cluster. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { AUTHORITY, KEY, OF_LOOPBACK } from '../faults/certificates.js';
import { until } from '../until.js';
import { reservePort } from './reserved-port.js';
import { type Launched, launchRedis, launchSentinel } from './test-redis.js';

const FORMED_MS = 20_000;
const SLOTS = 16_384;

interface RedisForm {
  readonly url: string;
  stop(): Promise<void>;
}

class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'longshore-redis-'));
  readonly running: Launched[] = [];

  async launch(settings: Readonly<Record<string, string | number>>): Promise<Launched> {
    const folder = join(this.folder, String(this.running.length));
    mkdirSync(folder);
    const launched = await launchRedis(settings, folder);
    this.running.push(launched);
    return launched;
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((launched) => launched.end('SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }

  write(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }
}

/** Asks one server. */
export async function askRedis<T>(port: number, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 1 });
  client.on('error', () => undefined);
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}

interface TlsRedis extends RedisForm {
  /** The certificate of its authority. */
  readonly caFile: string;
}

export async function startTlsRedis(): Promise<TlsRedis> {
  const fleet = new Fleet();
  const caFile = fleet.write('ca.pem', `${AUTHORITY}\n`);
  const port = await reservePort();
  await fleet.launch({
    port: 0,
    'tls-port': port,
    'tls-cert-file': fleet.write('cert.pem', `${OF_LOOPBACK}\n`),
    'tls-key-file': fleet.write('key.pem', `${KEY}\n`),
    'tls-ca-cert-file': caFile,
    'tls-auth-clients': 'no',
  });
  return { url: `rediss://127.0.0.1:${port}`, caFile, stop: () => fleet.stop() };
}

interface SentinelRedis extends RedisForm {
  /** Ends the primary server as a crash would, and waits until the Sentinels have promoted a replica. */
  failOver(): Promise<void>;
}

/** A primary server with replicas, watched by Sentinels. */
export async function startSentinelRedis({ replicas = 1, sentinels = 1 } = {}): Promise<SentinelRedis> {
  const fleet = new Fleet();
  const servers = new Map<number, Launched>();
  const password = 'pass/word';
  const common = { requirepass: password, masterauth: password, 'repl-diskless-sync-delay': 0 };
  const first = await reservePort();
  servers.set(first, await fleet.launch({ ...common, port: first }));
  for (let n = 0; n < replicas; n++) {
    const port = await reservePort();
    servers.set(port, await fleet.launch({ ...common, port, replicaof: `127.0.0.1 ${first}` }));
  }
  const watchers: number[] = [];
  for (let n = 0; n < sentinels; n++) {
    const port = await reservePort();
    const quorum = Math.floor(sentinels / 2) + 1;
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor main 127.0.0.1 ${first} ${quorum}`,
      `sentinel auth-pass main ${password}`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 5000',
    ];
    fleet.running.push(await launchSentinel(fleet.write(`sentinel-${n}.conf`, `${settings.join('\n')}\n`)));
    watchers.push(port);
  }
  const sentinel = watchers[0] ?? 0;
  const ask = (...args: string[]) =>
    askRedis(sentinel, (client) => client.call('SENTINEL', ...args) as Promise<unknown[]>);
  const healthyReplicas = async () => {
    const found = (await ask('replicas', 'main')) as string[][];
    return found.filter((fields) => {
      const flags = fields[fields.indexOf('flags') + 1] ?? '';
      return flags === 'slave' && fields[fields.indexOf('master-link-status') + 1] === 'ok';
    }).length;
  };
  await until(
    'the Sentinels know all',
    async () => {
      const others = (await ask('sentinels', 'main')).length;
      return others === sentinels - 1 && (await healthyReplicas()) === replicas;
    },
    FORMED_MS,
  );
  const primary = async () => Number(((await ask('get-master-addr-by-name', 'main')) as string[])[1]);
  return {
    url: `redis+sentinel://:${encodeURIComponent(password)}@${watchers.map((port) => `127.0.0.1:${port}`).join(',')}/main`,
    failOver: async () => {
      const before = await primary();
      await servers.get(before)?.end('SIGKILL');
      await until('a replica is promoted', async () => (await primary()) !== before, FORMED_MS);
    },
    stop: () => fleet.stop(),
  };
}

interface ClusterRedis extends RedisForm {
  /** The ports of the servers that were made primary. */
  readonly primaries: readonly number[];
  /** Ends the server that has the slot of a key, as a crash would; starts it again, empty, if it has no replica. */
  failOver(key: string): Promise<void>;
}

interface ClusterNode {
  readonly port: number;
  readonly busPort: number;
  launched: Launched;
  /** Starts it again. It knows its slots, and has no keys. */
  readonly again: () => Promise<Launched>;
}

/** Three primary servers that share the slots, each with as many replicas as asked for. */
export async function startRedisCluster({ replicas = 0 } = {}): Promise<ClusterRedis> {
  const fleet = new Fleet();
  const nodes: ClusterNode[] = [];
  for (let n = 0; n < 3 * (1 + replicas); n++) {
    const [port, busPort] = [await reservePort(), await reservePort()];
    const settings = {
      port,
      'cluster-enabled': 'yes',
      'cluster-port': busPort,
      'cluster-node-timeout': 1_000,
      'cluster-config-file': join(fleet.folder, `nodes-${n}.conf`),
      'repl-diskless-sync-delay': 0,
    };
    const again = () => fleet.launch(settings);
    nodes.push({ port, busPort, launched: await again(), again });
  }
  const primaries = nodes.slice(0, 3);
  const [first] = nodes;
  for (const [index, { port }] of primaries.entries()) {
    const [from, to] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / 3));
    await askRedis(port, (client) => client.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1)));
    await askRedis(port, (client) => client.call('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)));
  }
  for (const { port, busPort } of nodes.slice(1)) {
    await askRedis(first?.port ?? 0, (client) =>
      client.call('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort)),
    );
  }
  const isFormed = async (port: number) => {
    const info = await askRedis(port, (client) => client.cluster('INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
  };
  const allFormed = async () => (await Promise.all(nodes.map(({ port }) => isFormed(port)))).every(Boolean);
  await until('the Cluster is formed', allFormed, FORMED_MS);
  for (const [index, { port }] of nodes.slice(3).entries()) {
    const id = await askRedis(primaries[index % 3]?.port ?? 0, (client) => client.cluster('MYID'));
    await askRedis(port, (client) => client.call('CLUSTER', 'REPLICATE', id));
  }
  const isLinked = async (port: number) =>
    (await askRedis(port, (client) => client.info('replication'))).includes('master_link_status:up');
  const allLinked = async () => (await Promise.all(nodes.slice(3).map(({ port }) => isLinked(port)))).every(Boolean);
  await until('the replicas follow', allLinked, FORMED_MS);
  const ownerOf = async (key: string, of: number): Promise<number> => {
    const slot = await askRedis(of, (client) => client.cluster('KEYSLOT', key));
    const ranges = await askRedis(of, (client) => client.cluster('SLOTS'));
    const primary = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2];
    return primary?.[1] ?? 0;
  };
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    primaries: primaries.map(({ port }) => port),
    failOver: async (key) => {
      const before = await ownerOf(key, first?.port ?? 0);
      const owner = nodes.find(({ port }) => port === before);
      if (owner === undefined) throw new Error(`no server has the slot of ${key}`);
      await owner.launched.end('SIGKILL');
      if (replicas === 0) owner.launched = await owner.again();
      const witness = nodes.find(({ port }) => port !== before)?.port ?? 0;
      const isOk = async () => {
        const info = await askRedis(witness, (client) => client.cluster('INFO'));
        return info.includes('cluster_state:ok') && (replicas === 0 || (await ownerOf(key, witness)) !== before);
      };
      await until('the slots are served again', isOk, FORMED_MS);
    },
    stop: () => fleet.stop(),
  };
}
