/** How an embedded Postgres is run: durable as in production, sized for a laptop. */

/** The role that everything connects as; the cluster is ours alone. */
export const SUPERUSER = 'longshore';

interface ServerSettings {
  readonly cluster: string;
  readonly port: number;
  /** Shown in the command line of every process of this cluster: what orphans are found by. */
  readonly clusterName: string;
  readonly durable: boolean;
}

/** The arguments of `postgres`. On the command line, so that a new release's settings reach an old data folder. */
export function serverArguments({ cluster, port, clusterName, durable }: ServerSettings): string[] {
  const settings: Record<string, string | number> = {
    cluster_name: clusterName,
    listen_addresses: '127.0.0.1',
    port,
    // No socket file: its path would have to be short, and in a folder that both users reach.
    unix_socket_directories: '',
    // A busy worker process takes up to 30 when the queues are in here too; four of them and the API took 110.
    max_connections: 300,
    shared_buffers: '256MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // Nobody replicates from an embedded server.
    wal_level: 'minimal',
    max_wal_senders: 0,
    jit: 'off',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Nothing of ours: PG* variables and locales of the caller's would change what the server does. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}
