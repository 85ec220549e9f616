/** What the delivery handlers of a process share: its engine, and the connections to targets. */

import { DeliveryEngine } from '../domain/webhooks/delivery-engine.js';
import { Targets } from '../domain/webhooks/targets.js';
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
  const targets = new Targets({ allowedNetworks, resolveName, timeoutMs });
  const policy = { scheduleMs, breakerOpenMs, breakerMaxMs: LONGEST_OPENING * breakerOpenMs };
  const { secretsKeys } = config;
  return {
    deliveries: new DeliveryEngine({
      ...{ db, sender: targets.sender, secretsKeys, policy, logger },
      perEndpoint: endpointConcurrency,
      atHand: deliveryConcurrency,
    }),
    close: () => targets.close(),
  };
}
