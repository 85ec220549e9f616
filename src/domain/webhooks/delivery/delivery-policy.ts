/** The numbers that decisions about deliveries go by. */

export interface DeliveryPolicy {
  /** Before each attempt, the first included: as many attempts as there are entries. */
  readonly scheduleMs: readonly number[];
  /** How long a breaker opens for the first time, and at most; it doubles. */
  readonly breakerOpenMs: number;
  readonly breakerMaxMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Added to each pause at random, so that what failed together does not come back together. */
export const JITTER = 0.2;
/** After a time-out, 502 or 504: whoever is overloaded is not asked again at once. */
export const SLOW_FAULT_MS = MINUTE;
/** A target may ask for a longer pause; it gets this one. */
export const MAX_RETRY_AFTER_MS = 10 * HOUR;
/** How long an endpoint is left alone that answers 429 or 503 without saying how long. */
export const UNSAID_PAUSE_MS = 5 * SECOND;

export const BREAKER_STREAK = 5;
export const BREAKER_WINDOW_MS = 5 * MINUTE;
export const BREAKER_WINDOW_ATTEMPTS = 10;
export const BREAKER_FAILED_SHARE = 0.7;

export const DISABLE_AFTER_MS = 5 * 24 * HOUR;
export const DISABLE_AFTER_DELIVERIES = 20;
