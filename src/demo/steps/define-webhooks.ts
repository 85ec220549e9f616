/** Step 1: creates two webhook definitions, for orders and for jobs, each with its own secret. */
import type { LongshoreClient } from '@longshore/client';
import type { Receiver } from '../receiver.js';
import type { Screen } from '../screen.js';

export interface Subscription {
  readonly webhookId: string;
  /** The path of the target at the receiver. */
  readonly path: string;
  readonly events: readonly string[];
}

interface Subscriptions {
  readonly orders: Subscription;
  readonly jobs: Subscription;
}

export async function defineWebhooks(
  api: LongshoreClient,
  receiver: Receiver,
  stage: string,
  screen: Screen,
): Promise<Subscriptions> {
  const orders = await subscribe(api, receiver, 'OMS', ['ORDER_CREATED', 'ORDER_SHIPPED'], `/${stage}/orders`);
  const jobs = await subscribe(api, receiver, 'CATALOG', ['JOB_COMPLETED'], `/${stage}/jobs`);
  const events = [...orders.events, ...jobs.events].join(', ');
  screen.step('Webhooks', `2 definitions: a receiver at ${receiver.url} subscribes to ${events}`);
  return { orders, jobs };
}

async function subscribe(
  api: LongshoreClient,
  receiver: Receiver,
  source: 'CATALOG' | 'OMS',
  events: readonly string[],
  path: string,
): Promise<Subscription> {
  const { webhookId, signingSecret } = await api.createWebhook({
    body: { target: receiver.url + path, protocol: 'HTTP', source, events: [...events] },
  });
  receiver.trust({ path, secret: signingSecret });
  return { webhookId, path, events };
}
