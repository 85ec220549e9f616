/** Decides what the result of an attempt means for the delivery, and for how long its endpoint is to be left alone. */
import { HOUR, MINUTE, SECOND } from './delivery-policy.js';
import { retryAfterMs } from './retry-after.js';
import type { SendFailure, SendResult } from './send/send-result.js';

/** A random share of this is added to each pause, so that deliveries that failed together are spread. */
const JITTER = 0.2;
/** The minimum pause after a time-out, 502 or 504, because the target may be overloaded. */
const SLOW_FAULT_MS = MINUTE;
/** The longest pause that a target can ask for. */
const MAX_RETRY_AFTER_MS = 10 * HOUR;
/** The pause of an endpoint that answers 429 or 503 without Retry-After. */
const DEFAULT_PAUSE_MS = 5 * SECOND;

export type AttemptOutcome = 'delivered' | 'http-status' | SendFailure;

/** What the result of an attempt means. */
export interface Verdict {
  readonly outcome: AttemptOutcome;
  readonly delivery:
    | { readonly status: 'DELIVERED' }
    | { readonly status: 'PENDING'; readonly delayMs: number }
    | { readonly status: 'DEAD' };
  /** How long the endpoint asked us to pause; null: it did not. */
  readonly pauseMs: number | null;
  /** The endpoint answered 410 Gone. */
  readonly gone: boolean;
  /** The message of a failure. */
  readonly error: string | null;
}

/** A result that says something about the target. */
export type MadeAttempt = Exclude<SendResult, { kind: 'not-sent' }>;

export interface Round {
  /** The number of attempts in this round of the schedule, including this one. */
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
    return { outcome: result.failure, ...failed(result.message), delivery: nextTry(round, leastMs) };
  }
  const { statusCode, retryAfter } = result;
  if (statusCode >= 200 && statusCode < 300) {
    return { outcome: 'delivered', delivery: { status: 'DELIVERED' }, pauseMs: null, gone: false, error: null };
  }
  const answered = { outcome: 'http-status', ...failed(answeredText(statusCode)) } as const;
  if (statusCode === GONE) return { ...answered, delivery: { status: 'DEAD' }, gone: true };
  if (OVERLOADED.has(statusCode)) return { ...answered, delivery: nextTry(round, SLOW_FAULT_MS) };
  if (!ASKED_TO_WAIT.has(statusCode)) return { ...answered, delivery: nextTry(round, 0) };
  const asked = retryAfterMs(retryAfter, round.now);
  const leastMs = Math.min(asked ?? 0, MAX_RETRY_AFTER_MS);
  return { ...answered, delivery: nextTry(round, leastMs), pauseMs: asked === null ? DEFAULT_PAUSE_MS : leastMs };
}

const TOO_LARGE = 413;

function answeredText(statusCode: number): string {
  return statusCode === TOO_LARGE
    ? 'answered 413: the body is larger than the target accepts'
    : `answered ${statusCode}`;
}

function failed(error: string) {
  return { error, pauseMs: null, gone: false };
}

/**
 * The next attempt of the schedule, with jitter and after at least `leastMs`. After the last one, the delivery is DEAD.
 */
function nextTry({ attempts, scheduleMs, random }: Round, leastMs: number): Verdict['delivery'] {
  const pauseMs = scheduleMs[attempts];
  if (pauseMs === undefined) return { status: 'DEAD' };
  return { status: 'PENDING', delayMs: Math.round(Math.max(leastMs, pauseMs) * (1 + JITTER * random)) };
}
