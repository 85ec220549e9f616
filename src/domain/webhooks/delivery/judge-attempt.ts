/** The outcome table: what one answer, or the lack of one, means for the delivery and for its endpoint. */
import { JITTER, MAX_RETRY_AFTER_MS, SLOW_FAULT_MS, UNSAID_PAUSE_MS } from './delivery-policy.js';
import { retryAfterMs } from './retry-after.js';
import type { SendFailure, SendResult } from './send-result.js';

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
