/** What became of a delivery, as it is recorded. */
import type { AttemptRecord, DeliveryPolicy } from './judge-attempt.js';
import { judgeAttempt, type MadeAttempt, type Verdict } from './judge-attempt.js';
import type { LoadedDelivery } from './load-deliveries.js';

export interface Finished {
  readonly delivery: LoadedDelivery;
  readonly record: AttemptRecord;
  /** null: no attempt was made. */
  readonly verdict: Verdict | null;
}

/** When an attempt began and ended, in milliseconds since 1970, and what spreads the next ones. */
interface AttemptTimes {
  readonly triggeredAt: Date;
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

/** An attempt was made: what its result means for the delivery. */
export function attempted(
  delivery: LoadedDelivery,
  result: MadeAttempt,
  { triggeredAt, now, random }: AttemptTimes,
  { scheduleMs }: DeliveryPolicy,
): Finished {
  const attempt = delivery.attempts + 1;
  const verdict = judgeAttempt(result, { attempts: attempt - delivery.roundStart, scheduleMs, now, random });
  const { outcome, error, delivery: next } = verdict;
  const { statusCode, response } = result.kind === 'answered' ? result : NO_ANSWER;
  const made = { attempt, outcome, statusCode, error, durationMs: result.durationMs, response, triggeredAt };
  const delayMs = next.status === 'PENDING' ? next.delayMs : null;
  return { delivery, verdict, record: recordOf(delivery, next.status, delayMs, made) };
}

const NO_ANSWER = { statusCode: null, response: null } as const;

/** Its definition is disabled or gone: there is nothing more to call. */
export function cancelled(delivery: LoadedDelivery): Finished {
  return { delivery, verdict: null, record: recordOf(delivery, 'CANCELLED', null, null) };
}

/** Not attempted: under its next dispatch number it comes back by itself. */
export function deferred(delivery: LoadedDelivery, delayMs: number): Finished {
  return { delivery, verdict: null, record: recordOf(delivery, 'PENDING', delayMs, null) };
}

function recordOf(
  { id, dispatch }: LoadedDelivery,
  status: AttemptRecord['status'],
  delayMs: number | null,
  made: AttemptRecord['made'],
): AttemptRecord {
  return { id, dispatch, status, delayMs, made };
}
