/** The outcome table: what one answer, or the lack of one, means for the delivery and for its endpoint. */
import type { SendFailure, SendResult } from './send-result.js';

// The numbers that decisions about deliveries go by.

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
const JITTER = 0.2;
/** After a time-out, 502 or 504: whoever is overloaded is not asked again at once. */
const SLOW_FAULT_MS = MINUTE;
/** A target may ask for a longer pause; it gets this one. */
const MAX_RETRY_AFTER_MS = 10 * HOUR;
/** How long an endpoint is left alone that answers 429 or 503 without saying how long. */
const UNSAID_PAUSE_MS = 5 * SECOND;

export const BREAKER_STREAK = 5;
export const BREAKER_WINDOW_MS = 5 * MINUTE;
export const BREAKER_WINDOW_ATTEMPTS = 10;
export const BREAKER_FAILED_SHARE = 0.7;

export const DISABLE_AFTER_MS = 5 * 24 * HOUR;
export const DISABLE_AFTER_DELIVERIES = 20;

export type AttemptOutcome = 'delivered' | 'http-status' | SendFailure;

/** What becomes of an attempt that was made. */
export interface Verdict {
  readonly outcome: AttemptOutcome;
  readonly delivery:
    | { readonly status: 'DELIVERED' }
    | { readonly status: 'PENDING'; readonly delayMs: number }
    | { readonly status: 'DEAD' };
  /** The endpoint asked to be left alone so long; null: it did not. */
  readonly pauseMs: number | null;
  /** The endpoint says that it is gone for good. */
  readonly gone: boolean;
  /** What to show of a failure. */
  readonly error: string | null;
}

/** An attempt that says something of the target. */
export type MadeAttempt = Exclude<SendResult, { kind: 'not-sent' }>;

export interface Round {
  /** Attempts of this round of the schedule, with this one. */
  readonly attempts: number;
  readonly scheduleMs: readonly number[];
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

const GONE = 410;
const ASKED_TO_WAIT = new Set([429, 503]);
const OVERLOADED = new Set([502, 504]);

export function judgeAttempt(result: MadeAttempt, round: Round): Verdict {
  if (result.kind === 'failed') {
    const leastMs = result.failure === 'time-out' ? SLOW_FAULT_MS : 0;
    return { outcome: result.failure, ...failed(result.message), delivery: later(round, leastMs) };
  }
  const { statusCode, retryAfter } = result;
  if (statusCode >= 200 && statusCode < 300) {
    return { outcome: 'delivered', delivery: { status: 'DELIVERED' }, pauseMs: null, gone: false, error: null };
  }
  const answered = { outcome: 'http-status', ...failed(`answered ${statusCode}`) } as const;
  if (statusCode === GONE) return { ...answered, delivery: { status: 'DEAD' }, gone: true };
  if (OVERLOADED.has(statusCode)) return { ...answered, delivery: later(round, SLOW_FAULT_MS) };
  if (!ASKED_TO_WAIT.has(statusCode)) return { ...answered, delivery: later(round, 0) };
  const asked = retryAfterMs(retryAfter, round.now);
  const leastMs = Math.min(asked ?? 0, MAX_RETRY_AFTER_MS);
  return { ...answered, delivery: later(round, leastMs), pauseMs: asked === null ? UNSAID_PAUSE_MS : leastMs };
}

function failed(error: string) {
  return { error, pauseMs: null, gone: false };
}

/** The next place in the schedule, each with its jitter, and not before `leastMs`; after the last: given up. */
function later({ attempts, scheduleMs, random }: Round, leastMs: number): Verdict['delivery'] {
  const pauseMs = scheduleMs[attempts];
  if (pauseMs === undefined) return { status: 'DEAD' };
  return { status: 'PENDING', delayMs: Math.round(Math.max(leastMs, pauseMs) * (1 + JITTER * random)) };
}

// Reads Retry-After, RFC 9110 section 10.2.3: seconds, or a date.

/** Milliseconds from `now`, never negative; null: there is none that can be read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // A number in another form is no date either, whatever Date makes of it.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
