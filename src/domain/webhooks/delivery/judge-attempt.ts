/** Decides what the result of an attempt means for the delivery and for its endpoint, and records it. */

import { arrayText } from '../../../../db/array-text.js';
import type { Db } from '../../../../db/connection.js';
import type { DeliveryStatus } from '../../../../db/models/delivery.js';
import { prepared } from '../../../../db/prepared.js';
import { backoffMs } from '../../../platform/backoff.js';
import { IS_PENDING } from '../delivery-rows/delivery-sql.js';
import type { SendFailure, SendResult } from './send-result.js';

export interface DeliveryPolicy {
  /** The pause before each attempt, including the first. There are as many attempts as entries. */
  readonly scheduleMs: readonly number[];
  /** How long a circuit breaker opens the first time, and at most. The time doubles with each opening. */
  readonly breakerOpenMs: number;
  readonly breakerMaxMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A random share of this is added to each pause, so that deliveries that failed together are spread. */
const JITTER = 0.2;
/** The minimum pause after a time-out, 502 or 504, because the target may be overloaded. */
const SLOW_FAULT_MS = MINUTE;
/** The longest pause that a target can ask for. */
const MAX_RETRY_AFTER_MS = 10 * HOUR;
/** The pause of an endpoint that answers 429 or 503 without Retry-After. */
const DEFAULT_PAUSE_MS = 5 * SECOND;

const BREAKER_STREAK = 5;
const BREAKER_WINDOW_MS = 5 * MINUTE;
const BREAKER_WINDOW_ATTEMPTS = 10;
const BREAKER_FAILED_SHARE = 0.7;

const DISABLE_AFTER_MS = 5 * 24 * HOUR;
const DISABLE_AFTER_DELIVERIES = 20;
/** The owner gets a notice when there have been only failures for so long. */
const NOTICE_AFTER_MS = [24 * HOUR, 3 * 24 * HOUR, 4 * 24 * HOUR] as const;

type AttemptOutcome = 'delivered' | 'http-status' | SendFailure;

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

/**
 * Reads Retry-After (RFC 9110 section 10.2.3): seconds, or a date.
 * @returns milliseconds from `now`, never negative; null: it is missing or malformed
 * @internal exported for tests
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Date.parse would accept other forms of numbers, such as -5 and 1.5, as dates.
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

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

// Records results of deliveries, many in one statement. Recording the same result twice changes nothing.

export interface AttemptRecord {
  readonly id: string;
  /** The fencing token of the attempt. If the row has another one by now, only DELIVERED is still recorded. */
  readonly dispatch: number;
  readonly status: DeliveryStatus;
  /** The delay of the next attempt; null: there is none. */
  readonly delayMs: number | null;
  /** null: no attempt was made, because the delivery was cancelled or deferred. */
  readonly made: {
    readonly attempt: number;
    readonly outcome: AttemptOutcome;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly durationMs: number;
    readonly response: string | null;
    readonly triggeredAt: Date;
    /** The event, if its contacts may have been erased since it was loaded: its answers are not stored then. */
    readonly erasableEventId: string | null;
  } | null;
}

/** The deliveries that were changed but not delivered, with the fencing token of the next attempt. */
export type Recorded = ReadonlyMap<string, { readonly status: DeliveryStatus; readonly dispatch: number }>;

const MAX_TEXT_CHARACTERS = 1_000;

export async function recordAttempts(db: Db, records: readonly AttemptRecord[]): Promise<Recorded> {
  const ids = arrayText(records.map(({ id }) => id));
  // The columns are arrays for unnest, which Postgres reads several times faster than JSON.
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
    arrayText(records.map(({ made }) => made?.triggeredAt.getTime() ?? null)),
    arrayText(records.map(({ made }) => (made?.response == null ? null : made.erasableEventId))),
  ];
  const { rows } = await prepared<{ rows: { id: string; status: DeliveryStatus; dispatch: number }[] }>(db, RECORD, [
    ...columns,
    ids,
  ]);
  return new Map(rows.map(({ id, ...changed }) => [id, changed]));
}

/**
 * Cleans texts of others: Postgres rejects NUL and halves of surrogate pairs, and one such text would block the batch.
 */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\u0000', '').slice(0, MAX_TEXT_CHARACTERS);
}

/**
 * DELIVERED is recorded whatever the fencing token of the row is, so that no worker sends the event again. Events whose
 * contacts may be erased are locked: an erasure either has committed before and is seen here, or waits and then removes
 * the answers that are stored here.
 */
const RECORD = `
  WITH given AS MATERIALIZED (
    SELECT * FROM unnest(?::text[], ?::integer[], ?::text[], ?::double precision[], ?::integer[], ?::text[],
      ?::integer[], ?::text[], ?::integer[], ?::text[], ?::double precision[], ?::text[])
      AS given (id, dispatch, status, delay_ms, attempt, outcome, status_code, error, duration_ms, response,
        triggered_ms, erasable_event_id)
  ), erasable AS MATERIALIZED (
    SELECT locked.id, locked.contacts_erased_at
    FROM (SELECT DISTINCT erasable_event_id AS id FROM given WHERE erasable_event_id IS NOT NULL ORDER BY id) AS named
    CROSS JOIN LATERAL (
      SELECT id, contacts_erased_at FROM event WHERE id = named.id COLLATE "C" LIMIT 1 FOR SHARE) AS locked
  ), logged AS (
    INSERT INTO delivery_attempt (delivery_id, attempt, outcome, status_code, error, duration_ms, response, triggered_at)
    SELECT id, attempt, outcome, status_code, error, duration_ms,
      CASE WHEN erasable_event_id IS NULL
        OR erasable_event_id IN (SELECT id FROM erasable WHERE contacts_erased_at IS NULL) THEN response END,
      to_timestamp(triggered_ms / 1000)
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
    completed_at = CASE WHEN given.status <> 'PENDING' THEN now() END,
    waits_behind = NULL
  FROM given
  WHERE delivery.id = given.id COLLATE "C" AND delivery.id = ANY (?::text[])
    AND ${IS_PENDING}
    AND (delivery.dispatch = given.dispatch OR given.status = 'DELIVERED')
  RETURNING delivery.id, delivery.status, delivery.dispatch)
  SELECT * FROM changed WHERE status <> 'DELIVERED'`;
