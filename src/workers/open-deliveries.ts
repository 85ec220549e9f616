/** The delivery engine of a process, and its connections to targets, which the delivery handlers share. */
import { DeliveryEngine } from '../domain/webhooks/delivery-engine.js';
import { Targets } from '../domain/webhooks/targets.js';
import type { SharedLimit } from '../platform/limits/shared-limit.js';
import { createNameResolver } from '../platform/name-resolver.js';
import type { WorkerServices } from './context.js';
import { traced } from './run-queue/trace.js';

/** A circuit breaker is open for at most so many times its first period: 30 s become 16 minutes. */
const LONGEST_OPENING = 32;

interface OpenDeliveries {
  readonly deliveries: DeliveryEngine;
  close(): Promise<void>;
}

/** The share of a limit in a process that is the only one. */
const allOf = (limit: number): number => limit;

export function openDeliveries(services: WorkerServices, ofAccount: SharedLimit): OpenDeliveries {
  const { db, config, logger, metrics, shareOf = allOf, resolveName = createNameResolver() } = services;
  const { allowedNetworks, scheduleMs, breakerOpenMs, timeoutMs, endpointConcurrency, deliveryConcurrency } =
    config.webhooks;
  const targets = new Targets({ allowedNetworks, resolveName, timeoutMs });
  const policy = { scheduleMs, breakerOpenMs, breakerMaxMs: LONGEST_OPENING * breakerOpenMs };
  const { secretsKeys } = config;
  return {
    deliveries: new DeliveryEngine({
      ...{ db, sender: traced(targets.sender), secretsKeys, policy, logger, metrics, shareOf },
      perEndpoint: endpointConcurrency,
      inFlight: deliveryConcurrency,
      ofAccount,
    }),
    close: () => targets.close(),
  };
}
