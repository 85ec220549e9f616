/** Steps 13 and 14: compares the event log of the API with the calls that the receiver got. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventLog, LongshoreClient } from '@longshore/client';
import { expectEqual, Mismatch } from '../expect-equal.js';
import type { Receiver } from '../receiver.js';
import { count, type Screen } from '../screen.js';
import type { Subscription } from './define-webhooks.js';

export interface Deliveries {
  readonly events: number;
  readonly calls: number;
  /** How many calls the receiver answered with 500, so that they were repeated. */
  readonly refused: number;
}

const POLL_INTERVAL_MS = 200;
/** The second attempt is made after about five seconds. */
const DELIVERED_WITHIN_MS = 60_000;

/** @throws Mismatch when a call is missing or its signature is wrong, or when the two sides disagree */
export async function checkDeliveries(
  api: LongshoreClient,
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
  screen.step('Deliveries', `${count(calls.length)} calls of ${path} for ${names}: signed, and repeated after a 500`);
  return { events: logs.length, calls: answers.length, refused };
}

/** Waits until all events of a definition are delivered, and returns them. */
async function deliveredEvents(
  api: LongshoreClient,
  { webhookId, path }: Subscription,
  expected: number,
): Promise<readonly EventLog[]> {
  const query = { filters: { webhookId }, limit: 100 };
  for (
    const endsAt = performance.now() + DELIVERED_WITHIN_MS;
    performance.now() < endsAt;
    await delay(POLL_INTERVAL_MS)
  ) {
    const page = await api.queryEvents({ body: query });
    const pending = page.webhookEventLogs.filter(({ status }) => status === 'PENDING').length;
    if (page.count >= expected && pending === 0) return page.webhookEventLogs;
  }
  throw new Mismatch(`events for ${path}: not all were delivered within ${DELIVERED_WITHIN_MS / 1000} s`);
}
