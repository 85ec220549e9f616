/** Deliveries with their own database and queue: definitions are made, events emitted and told to the queue, and what became of each is read. */

import type { Delivery } from '../../../db/models/delivery.js';
import type { DeliveryAttempt } from '../../../db/models/delivery-attempt.js';
import type { EndpointHealth } from '../../../db/models/endpoint-health.js';
import { WebhookDefinition } from '../../../db/models/webhook-definition.js';
import type { NewDefinition } from '../../../src/domain/webhooks/definitions/definition-input.js';
import { createDefinition } from '../../../src/domain/webhooks/definitions.js';
import type { EventRecord } from '../../../src/domain/webhooks/events/new-event.js';
import { recordEvents } from '../../../src/domain/webhooks/events/record-events.js';
import { enqueueEntries } from '../../../src/queues/outbox.js';
import type { Shop } from '../http/shop.js';
import { until } from '../until.js';
import { startWorld, type World, type WorldOptions } from './world.js';

const WITHIN_MS = 30_000;

/** A definition, and the secret that verifies what it gets. */
export interface Hearing {
  readonly id: string;
  readonly secret: string;
}

export class DeliveryWorld {
  readonly #shops: Promise<Shop>;

  private constructor(readonly jobs: World) {
    this.#shops = jobs.newShop();
  }

  /** To be stopped in `after`. */
  static async start({ environment, ...options }: WorldOptions = {}): Promise<DeliveryWorld> {
    const world = await startWorld({ ...options, environment: { ...IMPATIENT, ...environment } });
    return new DeliveryWorld(world);
  }

  get db() {
    return this.jobs.db;
  }

  get secretsKeys() {
    return this.jobs.services.config.secretsKeys;
  }

  shop(): Promise<Shop> {
    return this.#shops;
  }

  /** @param channel under which the definition is made */
  async hear(target: string, over: Partial<NewDefinition> = {}, channel: number | null = null): Promise<Hearing> {
    const { siteId, account } = await this.#shops;
    const fields: NewDefinition = { ...DEFINITION, target, ...over };
    const site = { siteId, accountId: account, channel, stage: 'production', date: null };
    const { definition, signingSecret } = await createDefinition(this.db, site, fields, this.secretsKeys);
    return { id: definition.id, secret: signingSecret };
  }

  /** Emits events and tells the queue. @returns their ids */
  async emit(events: readonly Partial<EventRecord>[] = [{}]): Promise<string[]> {
    const { siteId, account } = await this.#shops;
    const emitted = await this.db.transaction((trx) =>
      recordEvents(
        trx,
        { siteId, accountId: account },
        events.map((event) => ({ source: 'OMS', event: 'ORDER_CREATED', payload: '{"amount":10.10}', ...event })),
      ),
    );
    const { producer, logger } = this.jobs.services;
    await enqueueEntries(producer, emitted.outboxEntries, logger);
    return [...emitted.eventIds];
  }

  /** Everything anybody heard so far is no longer there. */
  async forgetDefinitions(): Promise<void> {
    await this.db('webhook_definition').delete();
  }

  deliveriesOf(eventId: string): Promise<Delivery[]> {
    return this.db('delivery').where({ event_id: eventId }).orderBy('id');
  }

  /** The one delivery of an event. */
  async deliveryOf(eventId: string): Promise<Delivery> {
    const [delivery, other] = await this.deliveriesOf(eventId);
    if (delivery === undefined || other !== undefined) throw new Error(`event ${eventId} has not one delivery`);
    return delivery;
  }

  attemptsOf(deliveryId: string): Promise<DeliveryAttempt[]> {
    return this.db('delivery_attempt').where({ delivery_id: deliveryId }).orderBy('attempt');
  }

  async attempted(eventId: string, attempts = 1): Promise<Delivery> {
    await until(
      `${attempts} attempts were made`,
      async () => (await this.deliveryOf(eventId)).attempts >= attempts,
      WITHIN_MS,
    );
    return this.deliveryOf(eventId);
  }

  async ended(eventId: string): Promise<Delivery> {
    await until(
      'the delivery has ended',
      async () => (await this.deliveryOf(eventId)).completed_at !== null,
      WITHIN_MS,
    );
    return this.deliveryOf(eventId);
  }

  /** Whether the first attempt has been looked at, and its turn had not come. */
  async isPutOff(eventId: string): Promise<boolean> {
    return (await this.putOffForMs(eventId)) !== null;
  }

  /** How long the queue was told to keep the first attempt back; null: it was not put off. */
  async putOffForMs(eventId: string): Promise<number | null> {
    const { id, dispatch, attempts } = await this.deliveryOf(eventId);
    const queue = this.jobs.services.producer.queues().find(({ name }) => name === 'deliver-webhook');
    const job = attempts === 0 ? await queue?.getJob(`deliver_${id}_${dispatch}`) : undefined;
    return (await job?.getState()) === 'delayed' ? (job?.delay ?? null) : null;
  }

  async healthOf(definitionId: string): Promise<EndpointHealth> {
    return this.db('endpoint_health').where({ definition_id: definitionId }).first();
  }

  async definition(id: string): Promise<WebhookDefinition> {
    return WebhookDefinition.query(this.db).findById(id).throwIfNotFound();
  }

  stop(): Promise<void> {
    return this.jobs.stop();
  }
}

/** Seconds where there are hours, so that nobody waits. */
const IMPATIENT = {
  WEBHOOK_SCHEDULE_SECONDS: '0,0.05,0.1',
  WEBHOOK_TIMEOUT_SECONDS: '1',
  WEBHOOK_BREAKER_SECONDS: '1',
};

const DEFINITION = {
  protocol: 'HTTP',
  source: 'OMS',
  events: ['ORDER_CREATED'],
  requestType: 'POST',
  apiVersion: '',
  format: 'application/json',
  callbackUrl: null,
  targetApiKey: null,
  rateLimit: null,
} as const satisfies Partial<NewDefinition>;
