/** Declares that no delivery is lost while workers are killed, Redis is killed and comes back empty, and Postgres is restarted. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectDb, type Db } from '../../db/connection.js';
import { type RunningSystem, startSystem } from '../../src/launcher/system.js';
import { type Backend, forEachBackend } from '../support/for-each-backend.js';
import { type Receiver, startReceiver } from '../support/http/receiver.js';
import { pick, seededRandom } from '../support/models/random.js';
import { until } from '../support/until.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { SHORT_LOCKS } from '../support/worlds/system-world.js';

export interface LosslessTrials {
  readonly events: number;
  /** How often a worker process is killed. */
  readonly kills: number;
  /** How long Redis stays away before it comes back empty. */
  readonly redisAwayMs: number;
  readonly withinMs: number;
}

const ENDPOINTS = 4;
const WORKERS = 2;
/** Deliveries in hand of a process, of each of two lanes. */
const IN_HAND = 25;
const EMITTING = 8;
const WAIT_MS = 60_000;

const SETTINGS = {
  ...SHORT_LOCKS,
  RECONCILE_GRACE_MS: '3000',
  WORKER_DELIVERY_CONCURRENCY: String(IN_HAND),
  WEBHOOK_SCHEDULE_SECONDS: Array.from({ length: 10 }, (_, index) => (index === 0 ? 0 : 0.5)).join(','),
  WEBHOOK_BREAKER_SECONDS: '1',
  LOG_LEVEL: 'warn',
} as const;

export function runLosslessTrials(trials: LosslessTrials): void {
  const { events, kills, redisAwayMs, withinMs } = trials;
  forEachBackend((backend) => {
    let folder: OpenFolder;
    let system: RunningSystem;
    let db: Db;
    let receiver: Receiver;
    const random = seededRandom(events + kills);
    /** Answers of 2xx, by endpoint and webhook-id. */
    const accepted = new Map<string, number>();

    before(async () => {
      folder = makeOpenFolder();
      // One in twenty is refused, so that there is always something in the lane of retries.
      receiver = await startReceiver((response, { path, headers }) => {
        const refused = random() < 0.05;
        const key = `${path} ${headers['webhook-id']}`;
        if (!refused) accepted.set(key, (accepted.get(key) ?? 0) + 1);
        response.writeHead(refused ? 500 : 204).end();
      });
      const { redisUrl } = backend;
      system = await startSystem({ dataDir: join(folder.path, 'data'), redisUrl, workers: WORKERS, env: SETTINGS });
      db = connectDb({ url: system.databaseUrl, poolMax: 4, name: 'longshore-test' });
      for (let index = 0; index < ENDPOINTS; index++) {
        const target = `${receiver.url}/${index}`;
        const made = await post('/api/v2/webhook', { target, protocol: 'HTTP', source: 'OMS', events: ['*'] });
        assert.equal(made.status, 200);
      }
    });
    after(async () => {
      await db?.destroy();
      await system?.stop();
      await receiver?.stop();
      folder?.remove();
    });

    it(`delivers ${events} events to ${ENDPOINTS} endpoints, each once but for what was in flight`, async () => {
      const emitting = emitAll();
      await misfortunes(backend);
      const ids = await emitting;
      await until('every delivery has ended', async () => (await pending()) === 0, withinMs);
      const rows: { id: string; event_id: string; status: string; attempts: number }[] = await db('delivery').select(
        ...['id', 'event_id', 'status', 'attempts'],
      );
      assert.equal(new Set(ids).size, events);
      assert.equal(rows.length, events * ENDPOINTS);
      for (const { status } of rows) assert.ok(status === 'DELIVERED' || status === 'DEAD', status);
      const delivered = rows.filter(({ status }) => status === 'DELIVERED').length;
      assert.equal(delivered, accepted.size, 'what is delivered was accepted, and the other way round');
      const twice = [...accepted.values()].reduce((sum, count) => sum + count - 1, 0);
      // Redis coming back empty and Postgres restarting catch every worker in the middle of something.
      const inFlight = (kills + 2 * WORKERS) * 2 * IN_HAND;
      assert.ok(twice <= inFlight, `${twice} were sent twice, of at most ${inFlight} in flight`);
      await attemptsAreInOrder();
    });

    async function misfortunes({ name, requireRedis }: Backend): Promise<void> {
      for (let kill = 0; kill < kills; kill++) {
        await until('some more are delivered', async () => (await ended()) >= ((kill + 1) * events) / kills, WAIT_MS);
        await killWorker();
        if (kill !== Math.floor(kills / 2)) continue;
        if (name === 'redis') {
          await requireRedis().kill();
          await delay(redisAwayMs);
          await requireRedis().restart();
        }
        system.kill('postgres', 'SIGKILL');
      }
    }

    async function killWorker(): Promise<void> {
      const running = () => system.processes.filter(({ name, pid }) => name.startsWith('worker') && pid !== undefined);
      await until('a worker runs', () => running().length > 0, WAIT_MS);
      system.kill(pick(random, running()).name, 'SIGKILL');
    }

    /** Sent again until they are accepted, under one key each. */
    async function emitAll(): Promise<string[]> {
      const ids: string[] = [];
      let next = 0;
      const lane = async () => {
        for (let number = next++; number < events; number = next++) {
          const body = { source: 'OMS', event: 'ORDER_CREATED', payload: { number } };
          await until(
            `event ${number} is accepted`,
            async () => {
              const answer = await post('/api/v2/event', body, { 'idempotency-key': `event-${number}` }).catch(
                () => null,
              );
              if (answer?.status !== 202) return false;
              ids.push(((await answer.json()) as { eventRequestId: string }).eventRequestId);
              return true;
            },
            WAIT_MS,
          );
        }
      };
      await Promise.all(Array.from({ length: EMITTING }, lane));
      return ids;
    }

    function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
      const { baseUrl, account, token } = system.credentials;
      return fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-site-context': JSON.stringify({ account }),
          'tenant-key': account,
          ...headers,
        },
        body: JSON.stringify(body),
      });
    }

    /** What Postgres cannot say while it is away is not so yet. */
    const count = async (where: string): Promise<number> => {
      const found = await db('delivery')
        .whereRaw(where)
        .count({ count: '*' })
        .first()
        .catch(() => undefined);
      return Number(found?.count ?? Number.NaN);
    };
    const pending = () => count("status = 'PENDING'");
    const ended = () => count("status <> 'PENDING'");

    async function attemptsAreInOrder(): Promise<void> {
      const { rows } = await db.raw(
        `SELECT delivery_id FROM (
           SELECT delivery_id, attempt, row_number() OVER (PARTITION BY delivery_id ORDER BY attempt) AS nth,
                  triggered_at < lag(triggered_at) OVER (PARTITION BY delivery_id ORDER BY attempt) AS earlier
           FROM delivery_attempt) AS attempts
         WHERE attempt <> nth OR earlier`,
      );
      assert.deepEqual(rows, []);
    }
  });
}
