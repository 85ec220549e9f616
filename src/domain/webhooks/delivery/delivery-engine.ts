/** Delivers: loads what is due, lets it in when its endpoint's turn has come, sends it, judges the answer and records it. */
import type { Db } from '../../../../db/connection.js';
import { gather } from '../../../platform/concurrency/gather.js';
import type { Logger } from '../../../platform/logger.js';
import { type Admission, admitDelivery, PROBE_PAUSE_MS } from './admit-delivery.js';
import type { AttemptEnd } from './attempt-end.js';
import { createAttemptRecorder, type Finished } from './attempt-recorder.js';
import { type BatchEnd, createBatchAttempts } from './batch-attempts.js';
import type { DeliveryPolicy } from './delivery-policy.js';
import { createRequestMaker } from './delivery-requests.js';
import { EndpointSlots } from './endpoint-slots.js';
import { judgeAttempt, type MadeAttempt } from './judge-attempt.js';
import { type LoadedDelivery, loadDeliveries } from './load-deliveries.js';
import { claimProbe, returnProbe } from './record-health.js';
import type { WebhookSender } from './webhook-sender.js';

/** A job of the queue: one attempt. */
interface AttemptJob {
  readonly deliveryId: string;
  readonly dispatch: number;
}

export interface DeliveryEngine {
  /** Makes the attempt if its turn has come. @throws what kept us from it, which is no fault of the target's */
  attempt(job: AttemptJob, signal: AbortSignal): Promise<AttemptEnd>;
  /** Makes the first attempts of a batch's deliveries. One whose turn has not come is dispatched by itself from then on. */
  attemptBatch(batch: string, signal: AbortSignal): Promise<BatchEnd>;
}

export interface EngineOptions {
  readonly db: Db;
  readonly sender: WebhookSender;
  readonly secretsKeys: readonly string[];
  readonly policy: DeliveryPolicy;
  /** Requests under way to one endpoint. */
  readonly perEndpoint: number;
  /** Of all batches, deliveries that are under way or wait at hand for their endpoint. */
  readonly atHand: number;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
}

const MAX_LOADED = 200;
/** What is taken from the queue within this time is loaded in one statement. */
const LOAD_LINGER_MS = 3;
/** Before something of our own is asked for again that was out of reach. */
export const OWN_FAULT_PAUSE_MS = 2_000;

const NOTHING_FOLLOWS: AttemptEnd = { kind: 'done', following: [] };

export function createDeliveryEngine(options: EngineOptions): DeliveryEngine {
  const { db, sender, policy, perEndpoint, now = Date.now, random = Math.random } = options;
  const slots = new EndpointSlots({ perEndpoint, places: options.atHand, now });
  const record = createAttemptRecorder({ ...options, now });
  const load = gather({
    lingerMs: LOAD_LINGER_MS,
    maxItems: MAX_LOADED,
    run: async (ids: readonly string[]) => {
      const loaded = await loadDeliveries(db, ids);
      return ids.map((id) => loaded.get(id));
    },
  });
  const attemptBatch = createBatchAttempts({
    db,
    atHand: options.atHand,
    lingerMs: LOAD_LINGER_MS,
    tryOne: (delivery, signal) => inItsTurn(delivery, delivery.dispatch, signal),
    // Attempted or not, it leaves its batch: the others are not to wait for its endpoint.
    settle: (delivery, tried) => {
      if ('record' in tried) return done(tried);
      return tried.kind === 'put-off' ? done(putBack(delivery, tried.delayMs)) : Promise.resolve(tried);
    },
  });
  const requestOf = createRequestMaker(db, options.secretsKeys);
  const alone = oneAtATime();

  async function attempt({ deliveryId, dispatch }: AttemptJob, signal: AbortSignal): Promise<AttemptEnd> {
    const delivery = await load(deliveryId);
    if (delivery === undefined) return NOTHING_FOLLOWS;
    const end = await inItsTurn(delivery, dispatch, signal);
    return 'record' in end ? done(end) : end;
  }

  async function inItsTurn(
    delivery: LoadedDelivery,
    dispatch: number,
    signal: AbortSignal,
  ): Promise<Finished | AttemptEnd> {
    if (signal.aborted) return { kind: 'handed-back' };
    const admission = admit(delivery, dispatch);
    if (admission.kind === 'stale') return NOTHING_FOLLOWS;
    if (admission.kind === 'cancel') return cancelled(delivery);
    const key = delivery.callbackUrl ?? delivery.definitionId ?? delivery.id;
    if (admission.kind === 'put-off') return putOff(slots.delayOf(key, admission.untilMs - now()));
    const taken = slots.take(key, delivery.callbackUrl === null ? (delivery.definition?.rate_limit ?? null) : null);
    const slot = 'then' in taken ? await taken : taken;
    if (slot.kind === 'full') return putOff(slot.delayMs);
    try {
      return await (admission.kind === 'send' ? send(delivery, signal) : probe(delivery, signal));
    } finally {
      // Free again before what came of it is written: the endpoint has no part in that.
      slot.release();
    }
  }

  function admit(delivery: LoadedDelivery, asked: number): Admission {
    const { status, dispatch, callbackUrl, definition, health } = delivery;
    // A definition signs what it asked to be told, disabled or not.
    const isCallback = callbackUrl !== null && (definition !== null || delivery.definitionId === null);
    const needed = isCallback ? 'not-needed' : (definition?.status ?? null);
    return admitDelivery({ status, dispatch, asked, definition: needed, health }, now());
  }

  /** One attempt, to find out whether the endpoint is well again. */
  async function probe(delivery: LoadedDelivery, signal: AbortSignal): Promise<Finished | AttemptEnd> {
    const definitionId = delivery.definitionId ?? '';
    if (!(await claimProbe(db, definitionId))) return putOff(slots.delayOf(definitionId, PROBE_PAUSE_MS));
    let made = false;
    try {
      const end = await send(delivery, signal);
      made = 'record' in end;
      return end;
    } finally {
      if (!made) await returnProbe(db, definitionId).catch(() => undefined);
    }
  }

  async function send(delivery: LoadedDelivery, signal: AbortSignal): Promise<Finished | AttemptEnd> {
    const triggeredAt = new Date(now());
    const made = requestOf(delivery, triggeredAt);
    const result = await sender.send('then' in made ? await made : made, signal);
    if (result.kind !== 'not-sent') return judged(delivery, result, triggeredAt);
    if (signal.aborted) return { kind: 'handed-back' };
    options.logger.warn(
      { delivery: delivery.id, reason: result.message },
      'could not send, through no fault of the target',
    );
    return putOff(OWN_FAULT_PAUSE_MS);
  }

  function judged(delivery: LoadedDelivery, result: MadeAttempt, triggeredAt: Date): Finished {
    const attempt = delivery.attempts + 1;
    const round = {
      attempts: attempt - delivery.roundStart,
      scheduleMs: policy.scheduleMs,
      now: now(),
      random: random(),
    };
    const verdict = judgeAttempt(result, round);
    const { outcome, error } = verdict;
    const { status } = verdict.delivery;
    const delayMs = verdict.delivery.status === 'PENDING' ? verdict.delivery.delayMs : null;
    const statusCode = result.kind === 'answered' ? result.statusCode : null;
    const response = result.kind === 'answered' ? result.response : null;
    const made = { attempt, outcome, statusCode, error, durationMs: result.durationMs, response, triggeredAt };
    return { delivery, verdict, record: { id: delivery.id, dispatch: delivery.dispatch, status, delayMs, made } };
  }

  async function done(finished: Finished): Promise<AttemptEnd> {
    return { kind: 'done', following: await record(finished) };
  }

  return {
    attempt: (job, signal) => alone(job.deliveryId, () => attempt(job, signal)),
    attemptBatch: (batch, signal) => alone(batch, () => attemptBatch(batch, signal)),
  };
}

/** What this process has in hand: a second job for the same waits for the first, and finds it done. */
function oneAtATime(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const inHand = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    for (let before = inHand.get(key); before !== undefined; before = inHand.get(key)) {
      await before.catch(() => undefined);
    }
    const working = work();
    inHand.set(key, working);
    try {
      return await working;
    } finally {
      inHand.delete(key);
    }
  };
}

function putOff(delayMs: number): AttemptEnd {
  return { kind: 'put-off', delayMs };
}

function cancelled(delivery: LoadedDelivery): Finished {
  const { id, dispatch } = delivery;
  return { delivery, verdict: null, record: { id, dispatch, status: 'CANCELLED', delayMs: null, made: null } };
}

/** Not attempted; under its next dispatch number it comes back by itself. */
function putBack(delivery: LoadedDelivery, delayMs: number): Finished {
  const { id, dispatch } = delivery;
  return { delivery, verdict: null, record: { id, dispatch, status: 'PENDING', delayMs, made: null } };
}
