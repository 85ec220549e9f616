/** Definitions whose targets lie on one receiver, and events that they all hear. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inLanes } from '../measure/in-lanes.js';
import type { ApiClient } from './api-client.js';

export const EVENT_BODY = JSON.stringify({
  source: 'OMS',
  event: 'ORDER_CREATED',
  payload: {
    id: 'O-4711',
    currency: 'EUR',
    total: 129.9,
    lines: Array.from({ length: 5 }, (_, line) => ({ line, sku: `SKU-${line}`, quantity: 2, price: 12.99 })),
  },
});

const EMITTING_LANES = 16;
const POLL_INTERVAL_MS = 20;
const COUNT_EVERY_MS = 100;

export async function makeDefinitions(client: ApiClient, port: number, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const target = `http://127.0.0.1:${port}${path}`;
    await client.typed.createWebhook({ body: { target, protocol: 'HTTP', source: 'OMS', events: ['ORDER_CREATED'] } });
  }
}

export function emitEvents(client: ApiClient, count: number): Promise<void> {
  return inLanes(Array.from({ length: count }), EMITTING_LANES, async () => {
    await client.postText('/api/v2/event', EVENT_BODY, { 'tenant-key': client.account });
  });
}

/** Waits until none is left to be delivered. @throws when fewer than `count` were delivered */
export async function allDelivered(db: pg.Client, count: number): Promise<void> {
  // Answered from the index of what is pending by endpoint: the question is not to cost what the answer measures.
  const pending = "SELECT FROM delivery WHERE status = 'PENDING' ORDER BY definition_id, next_attempt_at LIMIT 1";
  while ((await db.query(pending)).rowCount === 1) await delay(POLL_INTERVAL_MS);
  const delivered = await deliveredTo(db, '%');
  if (delivered !== count) throw new Error(`${delivered} of ${count} were delivered: the figures mean nothing`);
}

/** Waits until so many deliveries to some targets are recorded as delivered. @param targets a pattern for LIKE */
export async function manyDelivered(db: pg.Client, count: number, targets: string): Promise<void> {
  while ((await deliveredTo(db, targets)) < count) await delay(COUNT_EVERY_MS);
}

async function deliveredTo(db: pg.Client, targets: string): Promise<number> {
  const { rows } = await db.query<{ delivered: number }>(
    `SELECT count(*)::integer AS delivered FROM delivery JOIN webhook_definition AS definition
       ON definition.id = delivery.definition_id
     WHERE delivery.status = 'DELIVERED' AND definition.target LIKE $1`,
    [targets],
  );
  return rows[0]?.delivered ?? 0;
}

/** Nothing of an earlier run is left to pay for. */
export async function emptyEvents(db: pg.Client): Promise<void> {
  await db.query('TRUNCATE event, delivery, delivery_attempt');
  await db.query('CHECKPOINT');
}
