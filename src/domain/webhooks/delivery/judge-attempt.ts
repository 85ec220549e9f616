/** The outcome table: what one answer, or the lack of one, means for the delivery and for its endpoint. */

import { arrayText } from '../../../../db/array-text.js';
import type { Db } from '../../../../db/connection.js';
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import { backoffMs } from '../../../platform/backoff.js';
import { IS_PENDING } from './delivery-sql.js';
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

const BREAKER_STREAK = 5;
const BREAKER_WINDOW_MS = 5 * MINUTE;
const BREAKER_WINDOW_ATTEMPTS = 10;
const BREAKER_FAILED_SHARE = 0.7;

const DISABLE_AFTER_MS = 5 * 24 * HOUR;
const DISABLE_AFTER_DELIVERIES = 20;

type AttemptOutcome = 'delivered' | 'http-status' | SendFailure;

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

// How an endpoint's attempts open and close its breaker, and when it has failed for so long that it is disabled.

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

// Records what became of deliveries, many in one statement. Recording the same twice changes nothing.

export interface AttemptRecord {
  readonly id: string;
  /** The dispatch under which it was made: what was dispatched anew meanwhile is not changed, unless it was delivered. */
  readonly dispatch: number;
  readonly status: DeliveryStatus;
  /** Until the next attempt; null: there is none. */
  readonly delayMs: number | null;
  /** null: none was made, the delivery was cancelled or put back. */
  readonly made: {
    readonly attempt: number;
    readonly outcome: AttemptOutcome;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly durationMs: number;
    readonly response: string | null;
    readonly triggeredAt: Date;
  } | null;
}

/** The deliveries that were changed and not delivered, with the dispatch under which the next attempt is to be enqueued. */
export type Recorded = ReadonlyMap<string, { readonly status: DeliveryStatus; readonly dispatch: number }>;

const MAX_TEXT_CHARACTERS = 1_000;

export async function recordAttempts(db: Db, records: readonly AttemptRecord[]): Promise<Recorded> {
  const ids = arrayText(records.map(({ id }) => id));
  // Columns, for unnest: Postgres reads them several times faster than JSON.
  const columns = [
    ids,
    arrayText(records.map(({ dispatch }) => dispatch)),
    arrayText(records.map(({ status }) => status)),
    arrayText(records.map(({ delayMs }) => delayMs)),
    arrayText(records.map(({ made }) => made?.attempt ?? null)),
    arrayText(records.map(({ made }) => made?.outcome ?? null)),
    arrayText(records.map(({ made }) => made?.statusCode ?? null)),
    arrayText(records.map(({ made }) => storable(made?.error ?? null))),
    arrayText(records.map(({ made }) => made?.durationMs ?? null)),
    arrayText(records.map(({ made }) => storable(made?.response ?? null))),
    arrayText(records.map(({ made }) => made?.triggeredAt.toISOString() ?? null)),
  ];
  const { rows } = await db.raw<{ rows: { id: string; status: DeliveryStatus; dispatch: number }[] }>(RECORD, [
    ...columns,
    ids,
  ]);
  return new Map(rows.map(({ id, ...changed }) => [id, changed]));
}

/** Others' words: Postgres keeps no NUL and no half of a surrogate pair, and one of them would keep all from being recorded. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\u0000', '').slice(0, MAX_TEXT_CHARACTERS);
}

/** Who has seen a 2xx says so whatever the dispatch: nobody is to send it again. */
const RECORD = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(?::text[], ?::integer[], ?::text[], ?::double precision[], ?::integer[], ?::text[],
      ?::integer[], ?::text[], ?::integer[], ?::text[], ?::timestamptz[])
      AS given (id, dispatch, status, delay_ms, attempt, outcome, status_code, error, duration_ms, response, triggered_at)
  ), logged AS (
    INSERT INTO delivery_attempt (delivery_id, attempt, outcome, status_code, error, duration_ms, response, triggered_at)
    SELECT id, attempt, outcome, status_code, error, duration_ms, response, triggered_at
    FROM given WHERE attempt IS NOT NULL
    ON CONFLICT DO NOTHING
  ), changed AS (
  UPDATE delivery SET
    status = given.status,
    lane = CASE WHEN given.attempt IS NULL THEN delivery.lane ELSE 'again' END,
    attempts = greatest(delivery.attempts, given.attempt),
    status_code = CASE WHEN given.attempt IS NULL THEN delivery.status_code ELSE given.status_code END,
    next_attempt_at = now() + given.delay_ms * interval '1 millisecond',
    dispatched_at = coalesce(now() + given.delay_ms * interval '1 millisecond', delivery.dispatched_at),
    dispatch = delivery.dispatch + (given.status = 'PENDING')::integer,
    completed_at = CASE WHEN given.status <> 'PENDING' THEN now() END
  FROM given
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING}
    AND (delivery.dispatch = given.dispatch OR given.status = 'DELIVERED')
  RETURNING delivery.id, delivery.status, delivery.dispatch)
  SELECT * FROM changed WHERE status <> 'DELIVERED'`;
