/** When deliveries are repeated, and how long circuit breakers open. */

export interface DeliveryPolicy {
  /** The pause before each attempt, including the first. There are as many attempts as entries. */
  readonly scheduleMs: readonly number[];
  /** How long a circuit breaker opens the first time, and at most. The time doubles with each opening. */
  readonly breakerOpenMs: number;
  readonly breakerMaxMs: number;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
