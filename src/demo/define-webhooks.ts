/** Step 1: who is to be called. Orders and jobs have a definition each, with a secret of its own. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from './api-client.js';
import { expectEqual, Mismatch } from './expect-equal.js';
import type { Receiver } from './receiver.js';
import type { Screen } from './screen.js';
import { count } from './screen.js';

interface Subscription {
  readonly webhookId: string;
  /** Of the receiver. */
  readonly path: string;
  readonly events: readonly string[];
}

interface Subscriptions {
  readonly orders: Subscription;
  readonly jobs: Subscription;
}

export async function defineWebhooks(
  api: ApiClient,
  receiver: Receiver,
  stage: string,
  screen: Screen,
): Promise<Subscriptions> {
  const orders = await subscribe(api, receiver, 'OMS', ['ORDER_CREATED', 'ORDER_SHIPPED'], `/${stage}/orders`);
  const jobs = await subscribe(api, receiver, 'CATALOG', ['JOB_COMPLETED'], `/${stage}/jobs`);
  const events = [...orders.events, ...jobs.events].join(', ');
  screen.step('Webhooks', `2 definitions: a receiver at ${receiver.url} is to hear ${events}`);
  return { orders, jobs };
}

async function subscribe(
  api: ApiClient,
  receiver: Receiver,
  source: string,
  events: readonly string[],
  path: string,
): Promise<Subscription> {
  const { body } = await api.post<{ webhookId: string; signingSecret: string }>('/api/v2/webhook', {
    target: receiver.url + path,
    protocol: 'HTTP',
    source,
    events,
  });
  receiver.trust({ path, secret: body.signingSecret });
  return { webhookId: body.webhookId, path, events };
}

// Steps 13 and 14: what the API says of its calls, held against what the receiver got.

/** What the API says of one event and of its calls. */
interface EventLog {
  readonly eventRequestId: string;
  readonly event: string;
  readonly status: string;
  readonly logs: readonly { readonly responseInfo: readonly { readonly statusCode: number | null }[] }[];
}

interface EventPage {
  readonly count: number;
  readonly webhookEventLogs: readonly EventLog[];
}

export interface Deliveries {
  readonly events: number;
  readonly calls: number;
  /** Calls that the receiver answered 500, and that were made again. */
  readonly refused: number;
}

const POLL_INTERVAL_MS = 200;
/** The second attempt comes after some five seconds. */
const DELIVERED_WITHIN_MS = 60_000;

/** @throws Mismatch when a call is missing, was not signed as it must be, or the two sides disagree */
export async function checkDeliveries(
  api: ApiClient,
  receiver: Receiver,
  subscription: Subscription,
  expectedEvents: readonly string[],
  screen: Screen,
): Promise<Deliveries> {
  const logs = await deliveredEvents(api, subscription, expectedEvents.length);
  const { path } = subscription;
  expectEqual(`events for ${path}`, logs.map(({ event }) => event).sort(), [...expectedEvents].sort());
  const made = logs.map(({ eventRequestId, logs: [log] }) => ({
    id: eventRequestId,
    answers: (log?.responseInfo ?? []).map(({ statusCode }) => statusCode),
  }));
  const answers = made.flatMap((event) => event.answers);
  const calls = await receiver.calls(path, answers.length);
  const got = made.map(({ id }) => ({
    id,
    answers: calls.filter((call) => call.id === id).map((call) => call.answered),
  }));
  expectEqual(`calls of ${path}`, got, made);
  expectEqual(`calls of ${path} in all`, calls.length, answers.length);
  const refused = answers.filter((status) => status === 500).length;
  expectEqual(`calls of ${path} that were answered 500 first`, refused, 1);
  const names = [...new Set(expectedEvents)].join(', ');
  screen.step('Deliveries', `${count(calls.length)} calls of ${path} for ${names}: signed, and again after a 500`);
  return { events: logs.length, calls: answers.length, refused };
}

/** Every event of a definition, once all have been delivered. */
async function deliveredEvents(
  api: ApiClient,
  { webhookId, path }: Subscription,
  expected: number,
): Promise<readonly EventLog[]> {
  const query = { filters: { webhookId }, limit: 100 };
  for (const endsAt = Date.now() + DELIVERED_WITHIN_MS; Date.now() < endsAt; await delay(POLL_INTERVAL_MS)) {
    const { body: page } = await api.post<EventPage>('/api/v2/webhook/event/query', query);
    const pending = page.webhookEventLogs.filter(({ status }) => status === 'PENDING').length;
    if (page.count >= expected && pending === 0) return page.webhookEventLogs;
  }
  throw new Mismatch(`events for ${path}: not all were delivered within ${DELIVERED_WITHIN_MS / 1000} s`);
}
