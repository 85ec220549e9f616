/**
 * Decides whether a delivery may be sent now, from its row and the health of its endpoint. Waiting costs no attempt.
 */
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import type { DefinitionStatus } from '../../../../db/models/webhook-definition.js';
import { isCurrentToken } from '../../kernel/invariant.js';
import type { Health } from './health/endpoint-health.js';

/** COLLECTING: it is disabled, and collects events. */
export type DefinitionState = DefinitionStatus | 'COLLECTING';

export interface Applicant {
  readonly status: DeliveryStatus;
  /** The fencing token of the row. */
  readonly dispatch: number;
  /** The fencing token of the queue job. */
  readonly asked: number;
  /** The state of the definition; null: it was deleted. A callback does not need it. */
  readonly definition: DefinitionState | null | 'not-needed';
  readonly health: Health;
}

export type Admission =
  | { readonly kind: 'send' }
  /** The circuit breaker admits one delivery: the first that claims the probe. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'snooze'; readonly untilMs: number }
  /** The definition was disabled, and collects what it misses. */
  | { readonly kind: 'collect' }
  /** The definition was disabled or deleted. */
  | { readonly kind: 'cancel' }
  /** The row is no longer PENDING, or has another fencing token. */
  | { readonly kind: 'stale' };

/** Longer than any attempt takes: the worker of an older probe has died. */
export const PROBE_LOST_MS = 60_000;
/** How long a delivery waits for the probe of another one. */
export const PROBE_PAUSE_MS = 1_000;

export function admitDelivery({ status, dispatch, asked, definition, health }: Applicant, now: number): Admission {
  if (status !== 'PENDING' || !isCurrentToken('a delivery', asked, dispatch)) return { kind: 'stale' };
  if (definition === 'not-needed') return { kind: 'send' };
  if (definition === 'COLLECTING') return { kind: 'collect' };
  if (definition !== 'ACTIVE') return { kind: 'cancel' };
  const { openUntil, pausedUntil, probingSince } = health;
  const closedUntil = Math.max(openUntil ?? 0, pausedUntil ?? 0);
  if (closedUntil > now) return { kind: 'snooze', untilMs: closedUntil };
  if (openUntil === null) return { kind: 'send' };
  const probing = probingSince !== null && now - probingSince < PROBE_LOST_MS;
  return probing ? { kind: 'snooze', untilMs: now + PROBE_PAUSE_MS } : { kind: 'probe' };
}
