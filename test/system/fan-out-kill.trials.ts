/** Declares that an event reaches every one of thousands of definitions, though the workers that fan it out are killed at it. */
import assert from 'node:assert/strict';
import { connectDb, type Db } from '../../db/connection.js';
import { FAN_OUT_PAGE } from '../../src/domain/webhooks/events/fan-out-statement.js';
import { recordEvents } from '../../src/domain/webhooks/events/record-events.js';
import { enqueueEntries, type OutboxEntry } from '../../src/queues/outbox.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { type Receiver, startReceiver } from '../support/http/receiver.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { insertDefinitions } from '../support/worlds/many-definitions.js';
import type { RunningProgram } from '../support/worlds/run-program.js';
import { SHORT_LOCKS } from '../support/worlds/system-world.js';
import { startWorkerProcess } from '../support/worlds/worker-process.js';
import { startWorld, type World } from '../support/worlds/world.js';

export interface FanOutTrials {
  /** Whole pages of them. */
  readonly definitions: number;
  /** Pages after each of which the worker is killed, in order. */
  readonly killAfterPages: readonly number[];
  readonly withinMs: number;
}

const WAIT_MS = 60_000;
/** The requests that a process may have in flight. */
const IN_FLIGHT = 10;
/** The most that it may have sent and not recorded. */
const UNRECORDED = 5 * IN_FLIGHT;

const SETTINGS = {
  ...SHORT_LOCKS,
  RECONCILE_GRACE_MS: '1000',
  WORKER_DELIVERY_CONCURRENCY: String(IN_FLIGHT),
  // They are all at one receiver, which a machine that is busy may keep waiting.
  WEBHOOK_TIMEOUT_SECONDS: '60',
  LOG_LEVEL: 'info',
} as const;

export function runFanOutTrials({ definitions, killAfterPages, withinMs }: FanOutTrials): void {
  forEachBackend((backend) => {
    let world: World;
    let receiver: Receiver;
    let worker: RunningProgram | undefined;
    before(async () => {
      receiver = await startReceiver();
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    afterEach(() => {
      worker?.process.kill('SIGKILL');
    });
    after(async () => {
      await world?.stop();
      await receiver?.stop();
    });

    it(`each of ${definitions} is told, once but for what was in flight`, async () => {
      const shop = await world.newShop();
      const ids = await insertDefinitions(world.db, {
        ...{ siteId: shop.siteId, account: shop.account, count: definitions },
        ...{ target: receiver.url, secretsKeys: world.services.config.secretsKeys },
      });
      const { eventId, outboxEntries } = await emit(shop);
      for (const [index, pages] of killAfterPages.entries()) {
        const barrier = await openBarrier(eventId, shop, ids[pages * FAN_OUT_PAGE] ?? assert.fail());
        worker = await startWorkerProcess(world, SETTINGS);
        if (index === 0) await enqueueEntries(world.services.producer, outboxEntries, world.services.logger);
        await until(`${pages} pages are committed, and the next is begun`, barrier.isReached, WAIT_MS);
        const { fan_out_after, fanned_out_at } = await eventRow(eventId);
        assert.deepEqual([fan_out_after, fanned_out_at], [ids[pages * FAN_OUT_PAGE - 1], null]);
        worker.process.kill('SIGKILL');
        assert.equal((await worker.end).code, 'SIGKILL');
        await barrier.remove();
      }
      worker = await startWorkerProcess(world, SETTINGS);
      await until('everything is delivered', () => isDelivered(eventId), withinMs);
      const { rows } = await world.db.raw(
        `SELECT count(*)::integer AS made, count(DISTINCT definition_id)::integer AS heard,
                count(*) FILTER (WHERE status = 'DELIVERED' AND attempts = 1)::integer AS delivered
         FROM delivery WHERE event_id = ?`,
        [eventId],
      );
      assert.deepEqual(rows[0], { made: definitions, heard: definitions, delivered: definitions });
      assert.equal((await eventRow(eventId)).deliveries, definitions);
      assert.equal(new Set(receiver.received.map(({ path }) => path)).size, definitions);
      const twice = receiver.received.length - definitions;
      assert.ok(twice <= killAfterPages.length * UNRECORDED, `${twice} were sent twice`);
    });

    async function emit({ siteId, account }: Shop): Promise<{ eventId: string; outboxEntries: OutboxEntry[] }> {
      const { eventIds, outboxEntries } = await world.db.transaction((trx) =>
        recordEvents(trx, { siteId, accountId: account }, [{ source: 'OMS', event: 'ORDER_CREATED', payload: '{}' }]),
      );
      return { eventId: eventIds[0] ?? '', outboxEntries };
    }

    const eventRow = (id: string) => world.db('event').where({ id }).first();

    async function isDelivered(eventId: string): Promise<boolean> {
      if ((await eventRow(eventId)).fanned_out_at === null) return false;
      return (await world.db('delivery').where({ event_id: eventId, status: 'PENDING' }).first('id')) === undefined;
    }

    /** A delivery of the event that is not committed: the page that comes to its definition waits for what becomes of it. */
    async function openBarrier(eventId: string, { siteId }: Shop, definitionId: string) {
      const db: Db = connectDb({ url: world.services.config.databaseUrl, poolMax: 1, name: 'longshore-barrier' });
      const trx = await db.transaction();
      await trx('delivery').insert({ event_id: eventId, definition_id: definitionId, site_id: siteId });
      const { rows } = await trx.raw('SELECT pg_backend_pid() AS pid');
      return {
        isReached: async () => {
          const waiting = await world.db.raw(
            'SELECT 1 FROM pg_stat_activity WHERE ?::integer = ANY(pg_blocking_pids(pid))',
            [rows[0].pid],
          );
          return waiting.rows.length > 0;
        },
        remove: async () => {
          await trx.rollback();
          await db.destroy();
        },
      };
    }
  });
}
