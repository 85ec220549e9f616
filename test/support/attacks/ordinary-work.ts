/** What a tenant does who attacks nobody, and how long it takes. */
import assert from 'node:assert/strict';
import { startReceiver } from '../http/receiver.js';
import type { Shop } from '../http/shop.js';
import { untilEnded } from '../http/until-ended.js';

export type Kind = 'event' | 'delivery' | 'read' | 'rows' | 'file';

/** How long each request of a kind took, in ms. */
export type Times = Readonly<Record<Kind, readonly number[]>>;

export interface OrdinaryWork {
  /** Does everything so many times, one after another. @throws when a request does not succeed */
  run(times: number): Promise<Times>;
  stop(): Promise<void>;
}

/** A webhook that is not delivered by then never is. */
const DELIVERED_WITHIN_MS = 30_000;

/** Prepares a tenant: a category, and a webhook with its receiver. */
export async function prepareOrdinaryWork(shop: Shop): Promise<OrdinaryWork> {
  let arrived: (id: number) => void = () => undefined;
  const receiver = await startReceiver((response, { body }) => {
    response.writeHead(204).end();
    arrived(JSON.parse(body).payload.id);
  });
  await shop.define({ categories: { Disk: [] } });
  const events = ['ORDER:CREATED'];
  const definition = { target: receiver.url, protocol: 'HTTP', source: 'SHOP_SERVICE', events };
  await shop.ask('POST', '/api/v2/webhook', { body: definition });
  let number = 0;

  async function event(times: Record<Kind, number[]>): Promise<void> {
    const id = ++number;
    const startedAt = performance.now();
    const delivered = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the webhook was not delivered')), DELIVERED_WITHIN_MS);
      arrived = (which) => {
        if (which !== id) return;
        clearTimeout(late);
        times.delivery.push(performance.now() - startedAt);
        resolve();
      };
    });
    const body = { source: 'SHOP_SERVICE', event: 'ORDER:CREATED', payload: { id } };
    const { status, text } = await shop.post('/api/v2/event', body, { headers: { 'tenant-key': shop.account } });
    times.event.push(performance.now() - startedAt);
    assert.equal(status, 202, text);
    await delivered;
  }

  async function read(): Promise<void> {
    const { status, text } = await shop.get('/api-category/v1/category');
    assert.equal(status, 200, text);
  }

  async function rows(): Promise<void> {
    const { status, text } = await shop.bulk('upsert', [{ sku: `s${++number}`, nodeName: 'Disk' }]);
    assert.equal(status, 200, text);
  }

  async function file(): Promise<void> {
    const jobId = await shop.upload('one.csv', `SKU,Category Node\nf${++number},Disk\n`);
    const { status } = await untilEnded(shop, jobId);
    assert.equal(status, 'COMPLETED');
  }

  return {
    run: async (count) => {
      const times: Record<Kind, number[]> = { event: [], delivery: [], read: [], rows: [], file: [] };
      for (let round = 0; round < count; round++) {
        await event(times);
        await timed(times.read, read);
        await timed(times.rows, rows);
        await timed(times.file, file);
      }
      return times;
    },
    stop: () => receiver.stop(),
  };
}

async function timed(into: number[], work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await work();
  into.push(performance.now() - startedAt);
}
