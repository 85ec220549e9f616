/** The result of a delivery, as it is recorded. */
import type { DeliveryPolicy } from './delivery-policy.js';
import { judgeAttempt, type MadeAttempt, type Verdict } from './judge-attempt.js';
import type { LoadedDelivery } from './loaded-delivery.js';
import type { AttemptRecord } from './record/record-attempts.js';

export interface Finished {
  readonly kind: 'finished';
  readonly delivery: LoadedDelivery;
  readonly record: AttemptRecord;
  /** null: no attempt was made. */
  readonly verdict: Verdict | null;
}

/** When an attempt began and ended, and a random number for the jitter of the next one. */
interface AttemptTimes {
  readonly triggeredAt: Date;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

/** The result of a delivery for which an attempt was made. */
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
  const { durationMs } = result;
  // Contacts that were erased before are recognized too: the target may repeat what an earlier attempt contained.
  const erasableEventId = delivery.event.mayHaveContacts ? delivery.event.id : null;
  const definitionVersion = delivery.definition?.version ?? null;
  const made = {
    ...{ attempt, outcome, statusCode, error, durationMs, response, triggeredAt, erasableEventId },
    definitionVersion,
  };
  const delayMs = next.status === 'PENDING' ? next.delayMs : null;
  return { kind: 'finished', delivery, verdict, record: recordOf(delivery, next.status, delayMs, made) };
}

const NO_ANSWER = { statusCode: null, response: null } as const;

/** The result of a delivery whose definition is disabled or deleted. */
export function cancelled(delivery: LoadedDelivery): Finished {
  return { kind: 'finished', delivery, verdict: null, record: recordOf(delivery, 'CANCELLED', null, null) };
}

/** The result of a delivery that has to wait: its next fencing token gets an outbox entry of its own. */
export function deferred(delivery: LoadedDelivery, delayMs: number): Finished {
  return { kind: 'finished', delivery, verdict: null, record: recordOf(delivery, 'PENDING', delayMs, null) };
}

function recordOf(
  { id, dispatch }: LoadedDelivery,
  status: AttemptRecord['status'],
  delayMs: number | null,
  made: AttemptRecord['made'],
): AttemptRecord {
  return { id, dispatch, status, delayMs, made };
}
