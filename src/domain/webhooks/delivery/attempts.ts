/** Makes attempts: what is admitted is sent, and its result judged. */
import type { Db } from '../../../../db/connection.js';
import type { Logger } from '../../../platform/logger.js';
import type { Metrics } from '../../../platform/metrics.js';
import type { Admission, Answer } from './admission.js';
import type { DeliveryPolicy } from './delivery-policy.js';
import { destinationOf } from './destination-of.js';
import { attempted, type Finished } from './finished.js';
import type { MadeAttempt } from './judge-attempt.js';
import type { LoadedDelivery } from './loaded-delivery.js';
import { HANDED_BACK, type Outcome, snooze } from './outcome.js';
import { createRequestMaker, type RequestMaker } from './request/request-maker.js';
import type { SendResult } from './send/send-result.js';
import type { WebhookSender } from './send/webhook-sender.js';
import type { DeliverySlots } from './slots/delivery-slots.js';

export interface AttemptOptions {
  readonly db: Db;
  readonly sender: WebhookSender;
  readonly secretsKeys: readonly string[];
  readonly policy: DeliveryPolicy;
  readonly logger: Logger;
  /** Counts attempts. */
  readonly metrics?: Pick<Metrics, 'deliveryAttempted'> | undefined;
}

interface Surroundings {
  readonly admission: Admission;
  readonly slots: DeliverySlots;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The pause of a delivery that could not be sent because of an error in this service. */
  readonly ownFaultPauseMs: number;
}

export class Attempts {
  readonly #options: AttemptOptions;
  readonly #around: Surroundings;
  readonly #requestOf: RequestMaker;

  constructor(options: AttemptOptions, around: Surroundings) {
    this.#options = options;
    this.#around = around;
    this.#requestOf = createRequestMaker(options.db, options.secretsKeys);
  }

  /**
   * Attempts a delivery if it is admitted. What is admitted or refused at once needs no promise for that.
   * @param dispatch the fencing token of the queue job
   */
  make(delivery: LoadedDelivery, dispatch: number, signal: AbortSignal): Outcome | Promise<Outcome> {
    const answer = this.#around.admission.admit(delivery, dispatch, signal);
    return 'then' in answer
      ? answer.then((known) => this.#sendIfAdmitted(known, delivery, signal))
      : this.#sendIfAdmitted(answer, delivery, signal);
  }

  #sendIfAdmitted(answer: Answer, delivery: LoadedDelivery, signal: AbortSignal): Outcome | Promise<Outcome> {
    return answer.kind === 'admitted' ? this.#send(answer, delivery, signal) : answer;
  }

  async #send(
    admitted: Extract<Answer, { kind: 'admitted' }>,
    delivery: LoadedDelivery,
    signal: AbortSignal,
  ): Promise<Outcome> {
    let outcome: Outcome | undefined;
    try {
      const triggeredAt = new Date(this.#around.now());
      const made = this.#requestOf(delivery, triggeredAt);
      const result = await this.#options.sender.send('then' in made ? await made : made, signal);
      outcome = this.#outcomeOf(delivery, result, triggeredAt, signal);
      return outcome;
    } finally {
      // Others are let in before the result is written, because writing does not need the endpoint.
      const left = admitted.leave(outcome);
      if (left !== undefined) await left;
    }
  }

  #outcomeOf(delivery: LoadedDelivery, result: SendResult, triggeredAt: Date, signal: AbortSignal): Outcome {
    const { policy, logger } = this.#options;
    const { slots, now, ownFaultPauseMs } = this.#around;
    if (result.kind !== 'not-sent') {
      slots.noteEnd(destinationOf(delivery).host, isOverloaded(result));
      const finished = attempted(delivery, result, { triggeredAt, now: now(), random: Math.random() }, policy);
      this.#count(finished, result, triggeredAt);
      return finished;
    }
    if (signal.aborted) return HANDED_BACK;
    logger.warn(
      { delivery: delivery.id, reason: result.message },
      'could not send a webhook because of an error in this service; it will be tried again',
    );
    return snooze(ownFaultPauseMs);
  }

  #count({ delivery, record, verdict }: Finished, { durationMs }: MadeAttempt, triggeredAt: Date): void {
    const outcome = record.status === 'DEAD' ? 'dead' : (verdict?.outcome ?? 'none');
    const lagMs = delivery.attempts === 0 ? triggeredAt.getTime() - delivery.event.triggered_at.getTime() : null;
    this.#options.metrics?.deliveryAttempted(outcome, durationMs / 1000, lagMs === null ? null : lagMs / 1000);
  }
}

/** Says whether a host did not answer, or cannot do more. */
const OVERLOADED = new Set([429, 502, 503, 504]);

/** Whether a host did not answer, or said that it cannot do more. */
function isOverloaded(result: MadeAttempt): boolean {
  return result.kind === 'failed' || OVERLOADED.has(result.statusCode);
}
