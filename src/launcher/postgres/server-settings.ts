/** The settings of an embedded Postgres: as durable as in production, with memory for a laptop. */

/** The role with which all processes connect. The cluster contains nothing else. */
export const SUPERUSER = 'longshore';

interface ServerSettings {
  readonly cluster: string;
  readonly port: number;
  /** Is part of the command line of every process of this cluster, by which orphans are found. */
  readonly clusterName: string;
  readonly durable: boolean;
}

/** The arguments of `postgres`. Not in a file, so that a new release's settings apply to an old data folder. */
export function serverArguments({ cluster, port, clusterName, durable }: ServerSettings): string[] {
  const settings: Record<string, string | number> = {
    cluster_name: clusterName,
    listen_addresses: '127.0.0.1',
    port,
    // There is no socket file, because its path would have to be short and accessible to both users.
    unix_socket_directories: '',
    // A busy worker process uses up to 30 when the queues are here too; four of them and the API used 110.
    max_connections: 300,
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // An embedded server has no replicas.
    wal_level: 'minimal',
    max_wal_senders: 0,
    jit: 'off',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // Of passwords that are set later: the one of the cluster is random, and has one (see initdb).
    scram_iterations: 4096,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // No refused statements: it would quote their rows. The processes log them without.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** The environment of the server. PG* variables and locales of the caller would change its behaviour. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
