/** Everything that was ever put into the queues: not only what is there at the end, because finished queue jobs are removed. */
import { Redis } from 'ioredis';
import { queryOnce } from './query-once.js';

const SCHEMA = 'bullmq';

export interface EmittedQueue {
  /** All of it, as text. */
  text(): Promise<string>;
  stop(): void;
}

/** Records each row that is written to the queues of a database. To be called before the first is. */
export async function recordQueuesInPostgres(databaseUrl: string): Promise<EmittedQueue> {
  const tables = await queryOnce<{ name: string }>(
    databaseUrl,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${SCHEMA}'`,
  );
  await queryOnce(
    databaseUrl,
    `CREATE UNLOGGED TABLE public.emitted (said text);
     CREATE FUNCTION public.record_emitted() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN INSERT INTO public.emitted VALUES (to_jsonb(NEW)::text); RETURN NEW; END';
     ${tables
       .map(
         ({ name }) =>
           `CREATE TRIGGER recorded AFTER INSERT OR UPDATE ON ${SCHEMA}."${name}"
              FOR EACH ROW EXECUTE FUNCTION public.record_emitted();`,
       )
       .join('\n')}`,
  );
  return {
    text: async () => {
      const rows = await queryOnce<{ said: string }>(databaseUrl, 'TABLE public.emitted');
      return rows.map(({ said }) => said).join('\n');
    },
    stop: () => undefined,
  };
}

/** Records each command that a Redis executes, those of its scripts too. */
export async function recordQueuesInRedis(url: string): Promise<EmittedQueue> {
  const client = new Redis(url);
  const commands: string[] = [];
  const monitor = await client.monitor();
  monitor.on('monitor', (_time: string, args: string[]) => commands.push(args.join(' ')));
  return {
    text: async () => {
      const left = await Promise.all((await client.keys('*')).map((key) => contentOf(client, key)));
      return [...commands, ...left].join('\n');
    },
    stop: () => {
      monitor.disconnect();
      client.disconnect();
    },
  };
}

async function contentOf(client: Redis, key: string): Promise<string> {
  const type = await client.type(key);
  const read: Readonly<Record<string, () => Promise<unknown>>> = {
    string: () => client.get(key),
    hash: () => client.hgetall(key),
    list: () => client.lrange(key, 0, -1),
    set: () => client.smembers(key),
    zset: () => client.zrange(key, '0', '-1'),
    stream: () => client.xrange(key, '-', '+'),
    none: async () => null,
  };
  const content = read[type];
  if (content === undefined) throw new Error(`a key of the type ${type} cannot be read here`);
  return `${key} ${JSON.stringify(await content())}`;
}
