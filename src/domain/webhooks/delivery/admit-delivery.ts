/** Whether a delivery's turn has come, by what is known of it and of its endpoint. No attempt is spent by waiting. */
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import type { DefinitionStatus } from '../../../../db/models/webhook-definition.js';
import type { Health } from './endpoint-breaker.js';

export interface Applicant {
  readonly status: DeliveryStatus;
  /** Of the row, and of the job that asks. */
  readonly dispatch: number;
  readonly asked: number;
  /** Of the definition; null: it was deleted. A callback's own way has none to ask for. */
  readonly definition: DefinitionStatus | null | 'not-needed';
  readonly health: Health;
}

export type Admission =
  | { readonly kind: 'send' }
  /** The breaker lets one pass: whoever is the first to say so. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'put-off'; readonly untilMs: number }
  /** Nobody is to be called any more. */
  | { readonly kind: 'cancel' }
  /** The row was delivered, or belongs to another dispatch. */
  | { readonly kind: 'stale' };

/** Longer than any attempt takes: a probe that is older died with its worker. */
export const PROBE_LOST_MS = 60_000;
/** Until it is asked again whether another's probe has come to an end. */
export const PROBE_PAUSE_MS = 1_000;

export function admitDelivery({ status, dispatch, asked, definition, health }: Applicant, now: number): Admission {
  if (status !== 'PENDING' || dispatch !== asked) return { kind: 'stale' };
  if (definition === 'not-needed') return { kind: 'send' };
  if (definition !== 'ACTIVE') return { kind: 'cancel' };
  const { openUntil, pausedUntil, probingSince } = health;
  const closedUntil = Math.max(openUntil ?? 0, pausedUntil ?? 0);
  if (closedUntil > now) return { kind: 'put-off', untilMs: closedUntil };
  if (openUntil === null) return { kind: 'send' };
  const probing = probingSince !== null && now - probingSince < PROBE_LOST_MS;
  return probing ? { kind: 'put-off', untilMs: now + PROBE_PAUSE_MS } : { kind: 'probe' };
}
