/** Creates the deliveries of an event with many subscribers. */
import { fanOutPage } from '../../domain/webhooks/fan-out.js';
import { recordFanOutFailure, suspectFanOut } from '../../domain/webhooks/fan-out-failure.js';
import type { fanOutEvent } from '../../queues/contracts/fan-out-event.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { AfterStep, Handler } from '../handler.js';
import { Snooze } from '../snooze.js';

/** A fan-out of many pages goes back to the end of the queue after so long, because others may wait for its place. */
const TURN_MS = 1_000;

export function fanOutEventHandler({ send }: AfterStep): Handler<PayloadOf<typeof fanOutEvent>> {
  return {
    async run(services, payload, signal) {
      const { eventId, account = eventId } = payload;
      const { fanOuts } = services;
      const taken = fanOuts?.turnToFanOut(account);
      const turn = taken !== undefined && 'then' in taken ? await taken : taken;
      if (turn?.kind === 'full') throw new Snooze(turn.delayMs);
      const began = performance.now();
      try {
        for (let more = true; more && !signal.aborted; ) {
          if (fanOuts !== undefined && performance.now() - began > TURN_MS) throw new Snooze(0);
          const page = await fanOutPage(services.db, payload);
          await send(services, page.outboxEntries);
          more = page.more;
          await fanOuts?.untilFewWait(account);
        }
      } finally {
        turn?.release();
      }
    },

    suspected: ({ db }, payload) => suspectFanOut(db, payload),

    async failed(services, payload, error, failure) {
      const { db, logger } = services;
      logger.warn({ err: error, ...payload, failure }, 'a fan-out failed');
      const next = await recordFanOutFailure(db, payload, failure?.kind === 'death' ? failure.how : null);
      if (next.kind === 'again') await send(services, [next.entry], next.delayMs);
      if (next.kind === 'stopped') logger.error({ err: error, eventId: payload.eventId }, next.reason);
      return undefined;
    },
  };
}
