/** Opens Redis in each form that REDIS_URL may have, and reads what its servers say of themselves. */
import { Cluster, Redis, type RedisOptions, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import { parseRedisUrl } from '../config/redis-url.js';

/** How certificates are checked, where the URL asks for TLS. */
export interface RedisTls {
  readonly ca: string | undefined;
  readonly rejectUnauthorized: boolean;
}

interface RedisOpening {
  readonly tls?: RedisTls | undefined;
  /** Commands fail while the connection is lost, instead of waiting for it. */
  readonly failsFast: boolean;
}

/** Before the first probe of an idle TCP connection. */
const KEEP_ALIVE_MS = 10_000;
/** A connection that does not answer for so long is opened anew. */
const SILENCE_MS = 5_000;
/** The same for connections on which workers wait for jobs, where Redis answers after up to 10 s. */
const BLOCKING_SILENCE_MS = 12_000;
const CONNECT_MS = 5_000;
const COMMAND_MS = 5_000;
const LONGEST_PAUSE_MS = 2_000;

/** The connection that all queues or workers share. BullMQ duplicates it for each worker that waits for jobs. */
class SharedRedis extends Redis {
  override duplicate(over?: Partial<RedisOptions>): Redis {
    // Its own type of the options has members that are undefined, which the constructor's has not.
    const options: object = { ...this.options, ...over, socketTimeout: BLOCKING_SILENCE_MS };
    return new SharedRedis(options);
  }

  override disconnect(reconnect = false): void {
    disconnectSurely(this, (again) => super.disconnect(again), reconnect);
  }
}

/**
 * Ends also a connection that waits for the next attempt to open it. ioredis 6.0.0 only cancels the attempt: it emits no
 * `end`, for which BullMQ waits before a worker is closed, and keeps commands that wait for an answer.
 */
function disconnectSurely(client: Redis | Cluster, disconnect: (reconnect: boolean) => void, reconnect: boolean): void {
  const waits = client.status === 'reconnecting';
  disconnect(reconnect);
  if (!waits || reconnect) return;
  const inner = client as unknown as {
    manuallyClosing: boolean;
    setStatus(status: 'end'): void;
    flushQueue(error: Error): void;
  };
  // As when a connection that is open ends.
  inner.manuallyClosing = false;
  inner.setStatus('end');
  inner.flushQueue(new Error('Connection is closed.'));
}

/**
 * Finds the primary server by the Sentinels. The listener of the connection before still hears when they announce another
 * primary, and ends the connection: if that is only being opened, ioredis 6.0.0 never opens it again. So the listener
 * ends before a connection is opened, and the new one has its own.
 */
class PrimaryFinder extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(onEvent: Parameters<SentinelConnector['connect']>[0]): ReturnType<SentinelConnector['connect']> {
    const { failoverDetector } = this as unknown as { readonly failoverDetector: { cleanup(): void } | null };
    failoverDetector?.cleanup();
    return super.connect(onEvent);
  }
}

/** Opens a connection that is opened again whenever it is lost. The caller handles its event `error`. */
export function openRedis(url: string, { tls, failsFast }: RedisOpening): Redis | Cluster {
  const address = parseRedisUrl(url);
  const pause = (times: number) => Math.min(times * 100, LONGEST_PAUSE_MS);
  const secured = address.tls
    ? { tls: { rejectUnauthorized: tls?.rejectUnauthorized ?? true, ...(tls?.ca === undefined ? {} : { ca: tls.ca }) } }
    : {};
  const connection = {
    connectTimeout: CONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
    socketTimeout: SILENCE_MS,
    ...(failsFast ? { commandTimeout: COMMAND_MS } : {}),
    ...secured,
  };
  if (address.kind === 'cluster') {
    return withSlowDuplicates(
      new Cluster([...address.nodes], {
        enableOfflineQueue: !failsFast,
        clusterRetryStrategy: pause,
        // With TLS the name of a node has to be that of its certificate, so it is not replaced by its address.
        ...(address.tls ? { dnsLookup: (name, found) => found(null, name) } : {}),
        redisOptions: { ...connection, ...loginOf(address) },
      }),
    );
  }
  const options = {
    ...connection,
    maxRetriesPerRequest: failsFast ? 1 : null,
    enableOfflineQueue: !failsFast,
    retryStrategy: pause,
    // The server has become a replica: connect again, and ask again who is the primary.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? (2 as const) : false),
  };
  if (address.kind === 'server') return new SharedRedis(address.url, options);
  const { username, password } = address.sentinelLogin;
  return new SharedRedis({
    ...options,
    ...loginOf(address),
    Connector: PrimaryFinder,
    sentinels: [...address.nodes],
    name: address.master,
    db: address.database,
    sentinelRetryStrategy: pause,
    failoverDetector: true,
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...('tls' in secured ? { enableTLSForSentinelMode: true, sentinelTLS: secured.tls } : {}),
  });
}

/** As for SharedRedis. */
function withSlowDuplicates(cluster: Cluster): Cluster {
  const duplicate = cluster.duplicate.bind(cluster) as (nodes?: unknown, over?: object) => Cluster;
  const slowly = (nodes?: unknown, over: { readonly redisOptions?: object } = {}) => {
    const redisOptions = { ...cluster.options.redisOptions, ...over.redisOptions, socketTimeout: BLOCKING_SILENCE_MS };
    return withSlowDuplicates(duplicate(nodes, { ...over, redisOptions }));
  };
  const disconnect = cluster.disconnect.bind(cluster);
  const surely = (reconnect = false) => disconnectSurely(cluster, disconnect, reconnect);
  return Object.assign(cluster, { duplicate: slowly, disconnect: surely });
}

function loginOf({ username, password }: { username: string | undefined; password: string | undefined }) {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

/** What a server says of itself. */
interface RedisServer {
  readonly address: string;
  readonly version: string;
  /** `master` or `slave`, as Redis calls them. */
  readonly role: string;
  readonly policy: string;
  /** Whether it removes keys when its memory is full, instead of refusing new ones. */
  readonly evicts: boolean;
  readonly usedBytes: number;
  /** 0: no limit. */
  readonly maxBytes: number;
  /** Its clock, in milliseconds; and the clock of this process when it was asked. */
  readonly clockMs: number;
  readonly askedAtMs: number;
}

/** The server of the connection; of a Cluster, all primary servers. @throws the error of Redis */
export async function redisServers(client: Redis | Cluster): Promise<readonly RedisServer[]> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  return Promise.all(nodes.map(serverOf));
}

async function serverOf(node: Redis): Promise<RedisServer> {
  const facts = new Map(
    (await node.info()).split(/\r?\n/).map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  const fact = (name: string) => facts.get(name) ?? '';
  const asked = Date.now();
  const [seconds, microseconds] = await node.time();
  const policy = fact('maxmemory_policy');
  return {
    address: `${node.options.host}:${node.options.port}`,
    version: fact('valkey_version') || fact('redis_version'),
    role: fact('role'),
    policy,
    evicts: policy !== '' && policy !== 'noeviction',
    usedBytes: Number(fact('used_memory')),
    maxBytes: Number(fact('maxmemory')),
    clockMs: Number(seconds) * 1000 + Number(microseconds) / 1000,
    askedAtMs: (asked + Date.now()) / 2,
  };
}
