/** How an endpoint's attempts open and close its breaker, and when it has failed for so long that it is disabled. */
import { backoffMs } from '../../../platform/backoff.js';
import {
  BREAKER_FAILED_SHARE,
  BREAKER_STREAK,
  BREAKER_WINDOW_ATTEMPTS,
  BREAKER_WINDOW_MS,
  type DeliveryPolicy,
  DISABLE_AFTER_DELIVERIES,
  DISABLE_AFTER_MS,
} from './judge-attempt.js';

/** Times are milliseconds since 1970. */
export interface Health {
  /** Failed attempts in a row, the deliveries whose first attempt was one of them, and when the first was. */
  readonly failureStreak: number;
  readonly failedDeliveries: number;
  readonly failingSince: number | null;
  /** The window begins with a failure: an endpoint that never fails has none, and costs no write. */
  readonly windowBeganAt: number | null;
  readonly windowAttempts: number;
  readonly windowFailures: number;
  /** null: closed; in the past: one probe may go. */
  readonly openUntil: number | null;
  /** Without a success in between. */
  readonly openings: number;
  readonly pausedUntil: number | null;
  /** A probe is on its way. */
  readonly probingSince: number | null;
}

/** Of an attempt, what its endpoint is held to. */
export interface AttemptSeen {
  readonly failed: boolean;
  /** The delivery had no attempt before, in this round. */
  readonly first: boolean;
  readonly pauseMs: number | null;
}

export const HEALTHY: Health = {
  failureStreak: 0,
  failedDeliveries: 0,
  failingSince: null,
  windowBeganAt: null,
  windowAttempts: 0,
  windowFailures: 0,
  openUntil: null,
  openings: 0,
  pausedUntil: null,
  probingSince: null,
};

/** Whether a success changes nothing of it. */
export function isHealthy(health: Health, now: number): boolean {
  const { failureStreak, openUntil, probingSince } = health;
  return failureStreak === 0 && openUntil === null && probingSince === null && !windowIsOpen(health, now);
}

export function afterAttempt(health: Health, seen: AttemptSeen, now: number, policy: DeliveryPolicy): Health {
  return seen.failed ? afterFailure(health, seen, now, policy) : afterSuccess(health, now);
}

/** Only failures for days, and enough of them. */
export function hasFailedForLong({ failingSince, failedDeliveries }: Health, now: number): boolean {
  return (
    failingSince !== null && now - failingSince >= DISABLE_AFTER_MS && failedDeliveries >= DISABLE_AFTER_DELIVERIES
  );
}

function afterSuccess(health: Health, now: number): Health {
  const { pausedUntil, openUntil } = health;
  if (openUntil !== null && openUntil <= now) return { ...HEALTHY, pausedUntil };
  // One that was sent before the breaker opened leaves it open: a probe has to show more than that.
  return { ...counted(health, 0, now), ...NO_STREAK };
}

const NO_STREAK = { failureStreak: 0, failedDeliveries: 0, failingSince: null } as const;

function afterFailure(health: Health, { first, pauseMs }: AttemptSeen, now: number, policy: DeliveryPolicy): Health {
  const failing: Health = {
    ...counted(health, 1, now),
    failureStreak: health.failureStreak + 1,
    failedDeliveries: health.failedDeliveries + (first ? 1 : 0),
    failingSince: health.failingSince ?? now,
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

/** With one more attempt in the window, which a failure begins. */
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
