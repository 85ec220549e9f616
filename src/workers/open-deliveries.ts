/** What the delivery handlers of a process share: its engine, and the connections to targets. */
import { createDeliveryEngine, type DeliveryEngine } from '../domain/webhooks/delivery/delivery-engine.js';
import { createWebhookSender } from '../domain/webhooks/delivery/webhook-sender.js';
import { createTargetGuard } from '../domain/webhooks/guard/target-guard.js';
import { createNameResolver } from '../platform/name-resolver.js';
import type { WorkerServices } from './context.js';

/** A breaker's opening doubles so often at most: from 30 s to 16 minutes. */
const LONGEST_OPENING = 32;

export interface OpenDeliveries {
  readonly deliveries: DeliveryEngine;
  close(): Promise<void>;
}

export function openDeliveries(services: WorkerServices): OpenDeliveries {
  const { db, config, logger, resolveName = createNameResolver() } = services;
  const { allowedNetworks, scheduleMs, breakerOpenMs, timeoutMs, endpointConcurrency, deliveryConcurrency } =
    config.webhooks;
  const guard = createTargetGuard({ allowedNetworks, resolveName });
  const sender = createWebhookSender({ guard, wholeMs: timeoutMs });
  const policy = { scheduleMs, breakerOpenMs, breakerMaxMs: LONGEST_OPENING * breakerOpenMs };
  const { secretsKeys } = config;
  return {
    deliveries: createDeliveryEngine({
      ...{ db, sender, secretsKeys, policy, logger },
      perEndpoint: endpointConcurrency,
      atHand: deliveryConcurrency,
    }),
    close: () => sender.close(),
  };
}
