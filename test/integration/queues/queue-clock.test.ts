/** Queues on Postgres beside clocks that are wrong: their times are those of the database. */
import assert from 'node:assert/strict';
import { DelayedError, type Job, type PgPool, PostgresConnection, PostgresQueueBackend, Queue, Worker } from 'bullmq';
import pg from 'pg';
import { untilEnded } from '../../support/http/until-ended.js';
import { until } from '../../support/until.js';
import { type MovedWorkers, startMovedWorkers } from '../../support/worlds/moved-workers.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const MINUTE_MS = 60_000;
const FIRST_TIME_MS = 1e12;

/** The statements of BullMQ that carry a time of the process, and in which parameters: what `queue-clock.ts` moves. */
const WITH_TIMES = [
  'Refresh multiple active-job locks $5',
  'add_job $8',
  'add_jobs_bulk $2 in a text',
  'move_stalled_jobs_to_wait $3',
  'move_to_active $4',
  'move_to_completed_fetch $10',
  'move_to_completed_fetch $5',
  'move_to_delayed $4',
  'move_to_failed_fetch $11',
  'move_to_failed_fetch $6',
  'next_signal $3',
];

describe('a queue on Postgres', function () {
  this.timeout(60_000);
  let world: World;
  let workers: MovedWorkers | undefined;
  before(async () => {
    world = await startWorld({ redisUrl: null });
  });
  afterEach(() => workers?.stop());
  after(() => world.stop());

  for (const movedMs of [5 * MINUTE_MS, -5 * MINUTE_MS]) {
    it(`has the times of the database where the clock of a worker is ${movedMs / MINUTE_MS} minutes ahead`, async () => {
      const shop = await world.newShop();
      workers = startMovedWorkers([movedMs], world.api.environment);
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] } });
      const rows = Array.from({ length: 20 }, (_, number) => ({ sku: `S${number}`, nodeName: 'Shelf' }));
      const jobId = await shop.upload('items.json', JSON.stringify(rows));
      await untilEnded(shop, jobId);
      const times = ['added_at_ms', 'processed_at_ms', 'finished_at_ms', 'locked_until_ms'];
      const wrong = times.map((time) => `abs(${time} - extract(epoch FROM now()) * 1000) > ${2 * MINUTE_MS}`);
      const { rows: found } = await world.db.raw<{ rows: { count: string; wrong: string }[] }>(
        `SELECT count(*), count(*) FILTER (WHERE ${wrong.join(' OR ')}) AS wrong
         FROM ??.job WHERE processed_at_ms IS NOT NULL`,
        [world.services.config.queuePrefix],
      );
      assert.ok(Number(found[0]?.count) > 1, 'jobs of the queue were executed');
      assert.equal(Number(found[0]?.wrong), 0);
      const { rows: checked } = await world.db.raw<{ rows: unknown[] }>(
        `SELECT queue FROM ??.meta WHERE field = 'stalled-check'
           AND abs(value::bigint - extract(epoch FROM now()) * 1000) > ?`,
        [world.services.config.queuePrefix, 2 * MINUTE_MS],
      );
      assert.deepEqual(checked, [], 'jobs that lost their workers are looked for by the clock of the database');
    });
  }

  it('gets the times of a process in the statements that are known, and in no others', async () => {
    const { databaseUrl, queuePrefix } = world.services.config;
    const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${queuePrefix}` });
    const sent = new Set<string>();
    const recording = new Proxy(pool, {
      get: (target, member) => {
        if (member !== 'query') {
          const value: unknown = Reflect.get(target, member);
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return (text: string, values?: readonly unknown[]) => {
          for (const [index, value] of (values ?? []).entries()) {
            const isTime = typeof value === 'number' && value > FIRST_TIME_MS;
            const hasTime = typeof value === 'string' && /"timestamp":\d{13}\b/.test(value);
            if (isTime || hasTime) sent.add(`${nameOf(text)} $${index + 1}${hasTime ? ' in a text' : ''}`);
          }
          return target.query(text, values as unknown[]);
        };
      },
    }) as unknown as PgPool;
    const backend = (name: string, options: ConstructorParameters<typeof PostgresQueueBackend>[2]) =>
      new PostgresQueueBackend(new PostgresConnection(recording), name, options, true);
    // BullMQ types connections for Redis only.
    const common = { connection: pool as never, prefix: queuePrefix };
    const name = 'statements-with-times';
    const queue = new Queue(name, common, backend as never);
    const ended: string[] = [];
    const work = async (job: Job, token?: string) => {
      if (job.name === 'later' && job.attemptsStarted === 1) {
        await job.moveToDelayed(Date.now() + 50, token);
        throw new DelayedError();
      }
      // Its lock is renewed meanwhile.
      if (job.name === 'slow')
        await until('the lock is renewed', () => [...sent].some((one) => /lock/.test(one)), 20_000);
      ended.push(job.name);
      if (job.name === 'fails') throw new Error('it fails');
    };
    const worker = new Worker(
      name,
      work,
      { ...common, lockDuration: 1_000, stalledInterval: 200, concurrency: 8 },
      backend as never,
    );
    worker.on('error', () => undefined);
    try {
      await queue.add('one', {});
      await queue.add('delayed', {}, { delay: 50 });
      await queue.addBulk(['fails', 'later', 'slow'].map((one) => ({ name: one, data: {}, opts: { attempts: 1 } })));
      await until('all jobs have ended', () => ended.length === 5, 20_000);
      await queue.getJobs();
    } finally {
      await worker.close();
      await queue.close();
      await pool.end();
    }
    assert.deepEqual([...sent].sort(), WITH_TIMES);
  });
});

/** The function of BullMQ that a statement calls, or how it begins. */
function nameOf(text: string): string {
  return /\b([a-z_]+)\(\s*\$1\b/.exec(text)?.[1] ?? /^-- (\w+ \w+ [\w-]+ \w+)/.exec(text)?.[1] ?? text;
}
