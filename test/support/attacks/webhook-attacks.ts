/** Attacks by webhooks: what a tenant has delivered, and to whom. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { startReceiver } from '../http/receiver.js';
import type { Shop } from '../http/shop.js';
import { webhookBody } from '../http/webhook-definition.js';
import type { Attack, Attacker } from './attack.js';
import { repeating } from './repeating.js';

export const EVENT = { source: 'SHOP_SERVICE', event: 'ORDER:CREATED', payload: { id: 1 } };

export const SLOW_TARGET = '300 definitions for one slow target, and large events';

/** The attacks, by what they do. */
export const WEBHOOK_ATTACKS = {
  '300 definitions for one target': ({ strength }: Attacker, shop: Shop) => manyDefinitions(shop, 300 * strength),
  [SLOW_TARGET]: ({ strength }: Attacker, shop: Shop) => slowDefinitions(shop, 300 * strength),
  'tests of webhooks that do not answer': (_: Attacker, shop: Shop) => hangingTests(shop),
} satisfies Readonly<Record<string, (attacker: Attacker, shop: Shop) => Promise<Attack>>>;

const SLOW_ANSWER_MS = 1_000;

/** Subscribes to EVENT so many times. @returns what enables or disables all of these definitions */
async function subscribe(shop: Shop, count: number, url: string) {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const subscribed = { source: EVENT.source, events: [EVENT.event], target: `${url}/?${number}` };
    const answer = await shop.post('/api/v2/webhook', webhookBody(subscribed));
    if (answer.status === 200) ids.push(answer.body.webhookId);
  }
  assert.ok(ids.length > 0, 'no definition was accepted');
  const setAll = async (action: 'enable' | 'disable') => {
    for (const id of ids) await shop.ask('POST', `/api/v2/webhook/${id}/actions/${action}`);
  };
  await setAll('disable');
  return { ids, setAll };
}

/** Each event is as many requests. Five events at a time are on their way. */
async function manyDefinitions(shop: Shop, count: number): Promise<Attack> {
  const arrived = new Map<number, () => void>();
  const receiver = await startReceiver((response, { body }) => {
    response.writeHead(204).end();
    receiver.received.length = 0;
    arrived.get(JSON.parse(body).payload.id)?.();
  });
  const { ids, setAll } = await subscribe(shop, count, receiver.url);
  let last = 0;
  const { begin, end } = repeating(5, async () => {
    const id = ++last;
    let left = ids.length;
    const all = new Promise<void>((resolve) => {
      arrived.set(id, () => {
        if (--left <= 0) resolve();
      });
    });
    const ended = new Promise<void>((resolve) => stops.add(resolve));
    await shop.post('/api/v2/event', { ...EVENT, payload: { id } }, { headers: { 'tenant-key': shop.account } });
    await Promise.race([all, ended]);
    arrived.delete(id);
  });
  const stops = new Set<() => void>();
  return {
    begin: async () => {
      await setAll('enable');
      await begin();
    },
    end: async () => {
      const ended = end();
      for (const stop of stops) stop();
      stops.clear();
      await ended;
      // What is pending is cancelled.
      await setAll('disable');
    },
  };
}

/** Events are sent without waiting for their deliveries, of which many more are due than the target answers. */
async function slowDefinitions(shop: Shop, count: number): Promise<Attack> {
  const receiver = await startReceiver((response) => {
    receiver.received.length = 0;
    setTimeout(() => response.writeHead(204).end(), SLOW_ANSWER_MS);
  });
  const { setAll } = await subscribe(shop, count, receiver.url);
  const event = { ...EVENT, payload: { text: 'x'.repeat(100_000) } };
  const { begin, end } = repeating(4, () =>
    shop.post('/api/v2/event', event, { headers: { 'tenant-key': shop.account } }),
  );
  return {
    begin: async () => {
      await setAll('enable');
      await begin();
    },
    end: async () => {
      await end();
      // What is pending is cancelled.
      await setAll('disable');
    },
  };
}

async function hangingTests(shop: Shop): Promise<Attack> {
  const held = new Set<ServerResponse>();
  const hanging = await startReceiver((response) => held.add(response));
  const { webhookId } = await shop.ask('POST', '/api/v2/webhook', { body: webhookBody({ target: hanging.url }) });
  const { begin, end } = repeating(20, () => shop.post(`/api/v2/webhook/${webhookId}/actions/test`, undefined));
  return {
    begin,
    end: async () => {
      const ended = end();
      const answer = () => {
        for (const response of held) response.writeHead(204).end();
        held.clear();
      };
      // Tests that are on their way arrive yet.
      const answering = setInterval(answer, 50);
      await ended;
      clearInterval(answering);
    },
  };
}
