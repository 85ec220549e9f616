/** Step 1: who is to be called. Orders and jobs have a definition each, with a secret of its own. */
import type { ApiClient } from './api-client.js';
import type { Receiver } from './receiver.js';
import type { Screen } from './screen.js';

export interface Subscription {
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
