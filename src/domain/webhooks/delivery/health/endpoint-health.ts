/**
 * Decides from its attempts whether an endpoint is healthy, when its circuit breaker opens, and when it is to be
 * disabled.
 */
import { backoffMs } from '../../../../platform/backoff.js';
import { type DeliveryPolicy, HOUR, MINUTE } from '../delivery-policy.js';

const BREAKER_STREAK = 5;
const BREAKER_WINDOW_MS = 5 * MINUTE;
const BREAKER_WINDOW_ATTEMPTS = 10;
const BREAKER_FAILED_SHARE = 0.7;

const DISABLE_AFTER_MS = 5 * 24 * HOUR;
const DISABLE_AFTER_DELIVERIES = 20;
/** The owner gets a notice when there have been only failures for so long. */
const NOTICE_AFTER_MS = [24 * HOUR, 3 * 24 * HOUR, 4 * 24 * HOUR] as const;

/** How an endpoint has answered, from which its circuit breaker opens and closes. Times are milliseconds since 1970. */
export interface Health {
  /** The number of failed attempts in a row, the deliveries whose first attempt was one of them, and the first time. */
  readonly failureStreak: number;
  readonly failedDeliveries: number;
  readonly failingSince: number | null;
  /** How many notices the owner got since then. */
  readonly notices: number;
  /** The window begins with a failure, so that an endpoint that never fails needs no writes. */
  readonly windowBeganAt: number | null;
  readonly windowAttempts: number;
  readonly windowFailures: number;
  /** null: the breaker is closed; a time in the past: one probe may be sent. */
  readonly openUntil: number | null;
  /** How often the breaker opened without a success in between. */
  readonly openings: number;
  readonly pausedUntil: number | null;
  /** When the probe that is in flight began. */
  readonly probingSince: number | null;
}

/** The part of an attempt that changes the health of its endpoint. */
export interface AttemptSeen {
  readonly failed: boolean;
  /** Whether it was the first attempt of the delivery in this round. */
  readonly first: boolean;
  readonly pauseMs: number | null;
}

export const HEALTHY: Health = {
  failureStreak: 0,
  failedDeliveries: 0,
  failingSince: null,
  notices: 0,
  windowBeganAt: null,
  windowAttempts: 0,
  windowFailures: 0,
  openUntil: null,
  openings: 0,
  pausedUntil: null,
  probingSince: null,
};

/** Whether a success would leave the health unchanged. */
export function isHealthy(health: Health, now: number): boolean {
  const { failureStreak, openUntil, probingSince } = health;
  return failureStreak === 0 && openUntil === null && probingSince === null && !windowIsOpen(health, now);
}

export function afterAttempt(health: Health, seen: AttemptSeen, now: number, policy: DeliveryPolicy): Health {
  return seen.failed ? afterFailure(health, seen, now, policy) : afterSuccess(health, now);
}

/** Whether there have been only failures for days, and enough of them. */
export function hasFailedForLong({ failingSince, failedDeliveries }: Health, now: number): boolean {
  return (
    failingSince !== null && now - failingSince >= DISABLE_AFTER_MS && failedDeliveries >= DISABLE_AFTER_DELIVERIES
  );
}

function noticesDue({ failingSince }: Health, now: number): number {
  return failingSince === null ? 0 : NOTICE_AFTER_MS.filter((ms) => now - failingSince >= ms).length;
}

/** When an endpoint will be disabled that goes on failing. */
export function disabledFrom(failingSince: number): Date {
  return new Date(failingSince + DISABLE_AFTER_MS);
}

function afterSuccess(health: Health, now: number): Health {
  const { pausedUntil, openUntil } = health;
  if (openUntil !== null && openUntil <= now) return { ...HEALTHY, pausedUntil };
  // The attempt was sent before the breaker opened. Only a probe can close it.
  return { ...counted(health, 0, now), ...NO_STREAK };
}

const NO_STREAK = { failureStreak: 0, failedDeliveries: 0, failingSince: null, notices: 0 } as const;

function afterFailure(health: Health, { first, pauseMs }: AttemptSeen, now: number, policy: DeliveryPolicy): Health {
  const failing: Health = {
    ...counted(health, 1, now),
    failureStreak: health.failureStreak + 1,
    failedDeliveries: health.failedDeliveries + (first ? 1 : 0),
    failingSince: health.failingSince ?? now,
    notices: Math.max(health.notices, noticesDue(health, now)),
    pausedUntil: pauseMs === null ? health.pausedUntil : Math.max(health.pausedUntil ?? 0, now + pauseMs),
  };
  const { openUntil } = health;
  const opens = openUntil === null ? failsTooOften(failing) : openUntil <= now;
  return opens ? opened(failing, now, policy) : failing;
}

function opened(health: Health, now: number, { breakerOpenMs, breakerMaxMs }: DeliveryPolicy): Health {
  const forMs = backoffMs({ firstMs: breakerOpenMs, longestMs: breakerMaxMs }, health.openings + 1);
  return { ...health, openUntil: now + forMs, openings: health.openings + 1, probingSince: null };
}

function failsTooOften({ failureStreak, windowAttempts, windowFailures }: Health): boolean {
  if (failureStreak >= BREAKER_STREAK) return true;
  return windowAttempts >= BREAKER_WINDOW_ATTEMPTS && windowFailures >= BREAKER_FAILED_SHARE * windowAttempts;
}

/** Counts one more attempt in the window. Only a failure begins a window. */
function counted(health: Health, failures: 0 | 1, now: number): Health {
  if (windowIsOpen(health, now)) {
    const { windowAttempts, windowFailures } = health;
    return { ...health, windowAttempts: windowAttempts + 1, windowFailures: windowFailures + failures };
  }
  const began = failures === 1;
  return { ...health, windowBeganAt: began ? now : null, windowAttempts: began ? 1 : 0, windowFailures: failures };
}

function windowIsOpen({ windowBeganAt }: Health, now: number): boolean {
  return windowBeganAt !== null && now - windowBeganAt < BREAKER_WINDOW_MS;
}
