/** Emitting events, and delivering them. */

import type { Knex } from 'knex';
import { cancelPending } from '../../../src/domain/webhooks/definitions/cancel-pending.js';
import { createProbeClaims, returnProbe } from '../../../src/domain/webhooks/delivery/health/probe-claims.js';
import { recordHealth } from '../../../src/domain/webhooks/delivery/health/record-health.js';
import { loadBatches, loadDeliveries } from '../../../src/domain/webhooks/delivery/load-deliveries.js';
import { releaseNext } from '../../../src/domain/webhooks/delivery/order/release-next.js';
import { waitInOrder } from '../../../src/domain/webhooks/delivery/order/wait-in-order.js';
import { collectDeliveries } from '../../../src/domain/webhooks/delivery/record/collect-deliveries.js';
import { type AttemptRecord, recordAttempts } from '../../../src/domain/webhooks/delivery/record/record-attempts.js';
import { recordSnoozes } from '../../../src/domain/webhooks/delivery/record/record-snoozes.js';
import { leaseRates } from '../../../src/domain/webhooks/delivery/slots/lease-rates.js';
import { emitEvents } from '../../../src/domain/webhooks/emit-events.js';
import { pageEventLog } from '../../../src/domain/webhooks/event-log.js';
import { makeEvent } from '../../../src/domain/webhooks/events/new-event.js';
import { fanOutPage } from '../../../src/domain/webhooks/fan-out.js';
import { recordFanOutFailure } from '../../../src/domain/webhooks/fan-out-failure.js';
import { firstEntries } from '../../../src/domain/webhooks/first-entries.js';
import { releaseCollected } from '../../../src/domain/webhooks/release-collected.js';
import { replayEvent } from '../../../src/domain/webhooks/replay-event.js';
import { DEFINITIONS_A_SITE, EMITTERS } from '../../support/worlds/plans/laid-deliveries.js';
import { type Laid, laidBatch, laidDeliveries, laidId } from '../../support/worlds/plans/laid-ids.js';
import { accountOf, EMITTING_SITE, type HotWork, LISTENED_SITE } from './hot-work.js';

export const DELIVERING: readonly HotWork[] = [
  {
    does: 'emits an event that nobody hears',
    within: 30,
    run: emitUnheard,
  },
  { does: 'emits an event that 25 hear', within: 700, run: (trx, laid) => emitOrder(trx, laid, EMITTING_SITE) },
  {
    does: 'emits an event that very many hear',
    within: 1_500,
    run: (trx, laid) => emitOrder(trx, laid, LISTENED_SITE),
  },
  { does: 'makes a page of 1,000 deliveries', within: 22_000, run: (trx, laid) => fanOutPage(trx, fanOut(laid)) },
  { does: 'has a fan-out tried again', within: 30, run: (trx, laid) => recordFanOutFailure(trx, fanOut(laid), null) },
  {
    does: 'finds the first attempts of an event',
    within: 80,
    run: (trx, laid) => firstEntries(trx, [laidId(laid, 'event', 1)]),
  },
  { does: 'loads a batch', within: 700, run: (trx, laid) => loadBatches(trx, [laidBatch(laid, 1)]) },
  { does: 'loads 50 deliveries', within: 700, run: (trx, laid) => loadDeliveries(trx, laidDeliveries(laid, 1)) },
  {
    does: 'loads 50 deliveries that have an order, and makes what waits for them due',
    within: 2_500,
    run: ordered,
  },
  {
    does: 'has 49 deliveries wait for another one',
    within: 1_800,
    run: (trx, laid) => {
      const [behind = '', ...others] = laidDeliveries(laid, 1);
      return waitInOrder(
        trx,
        others.map((id) => ({ id, dispatch: 1, behind })),
      );
    },
  },
  { does: 'records a delivery', within: 60, run: (trx, laid) => recordAttempts(trx, delivered(laid).slice(0, 1)) },
  { does: 'records 50 deliveries', within: 1_800, run: (trx, laid) => recordAttempts(trx, delivered(laid)) },
  {
    does: 'records that 50 deliveries are snoozed',
    within: 1_800,
    run: (trx, laid) =>
      recordSnoozes(
        trx,
        laidDeliveries(laid, 1).map((id) => ({ id, dispatch: 1, delayMs: 30_000 })),
      ),
  },
  {
    does: 'collects 50 deliveries for a disabled definition',
    within: 1_800,
    run: (trx, laid) =>
      collectDeliveries(
        trx,
        laidDeliveries(laid, 1).map((id) => ({ id, dispatch: 1 })),
      ),
  },
  { does: 'releases a delivery that was collected', within: 80, run: collectAndRelease },
  {
    does: 'leases a share of a rate',
    within: 40,
    run: (trx, laid) => leaseRates(trx, [{ id: definitionOf(laid), rate: 10, wanted: 1 }]),
  },
  {
    does: 'records how an endpoint did',
    within: 20,
    run: (trx, laid) => recordHealth(trx, [failed(laid)], Date.now(), POLICY),
  },
  { does: 'takes a probe', within: 20, run: (trx, laid) => createProbeClaims(trx)(definitionOf(laid)) },
  { does: 'gives it back', within: 20, run: (trx, laid) => returnProbe(trx, definitionOf(laid)) },
  {
    does: 'cancels what waits for a definition',
    within: 1_500,
    run: (trx, laid) => cancelPending(trx, definitionOf(laid)),
  },
  { does: 'replays an event', within: 250, run: replay },
  { does: 'shows 20 events', within: 5_000, run: showEvents },
];

const POLICY = { scheduleMs: [0], breakerOpenMs: 1_000, breakerMaxMs: 1_000 };

function emitOrder(trx: Knex.Transaction, laid: Laid, siteId: number): Promise<unknown> {
  const order = { documentType: 'ORDER', id: '1', contactInfo: [], payload: {} } as const;
  const event = makeEvent('ORDER_CREATED', order, { source: 'OMS', callbackUrl: 'http://127.0.0.1/' });
  return emitEvents(trx, { siteId, accountId: accountOf(laid, siteId) }, [event]);
}

/** Of a definition whose source no other one has. */
function emitUnheard(trx: Knex.Transaction, laid: Laid): Promise<unknown> {
  const details = { source: 'LATE_SERVICE', callbackUrl: 'http://127.0.0.1/' };
  const disabled = {
    webhookId: definitionOf(laid),
    target: 'http://127.0.0.1/',
    reason: 'the target answered 410 Gone',
  };
  const event = makeEvent('WEBHOOK_DISABLED', disabled, details);
  return emitEvents(trx, { siteId: EMITTING_SITE, accountId: accountOf(laid, EMITTING_SITE) }, [event]);
}

function fanOut(laid: Laid) {
  return { eventId: laidId(laid, 'fanOut', 1), dispatch: 1 };
}

function definitionOf(laid: Laid): string {
  return laidId(laid, 'definition', EMITTING_SITE * DEFINITIONS_A_SITE);
}

function delivered(laid: Laid): AttemptRecord[] {
  const answer = { outcome: 'delivered', statusCode: 200, error: null, durationMs: 3, response: '' } as const;
  const made = {
    attempt: 1,
    ...answer,
    triggeredAt: new Date(),
    definitionVersion: 1,
    erasableEventId: laidId(laid, 'event', 1),
  };
  return laidDeliveries(laid, 1).map((id) => ({ id, dispatch: 1, status: 'DELIVERED', delayMs: null, made }));
}

async function ordered(trx: Knex.Transaction, laid: Laid): Promise<void> {
  const ids = laidDeliveries(laid, 1);
  await trx('delivery').whereIn('id', ids).update({ order_key: 'order 1', order_no: 1, waits_behind: 'one before' });
  await loadDeliveries(trx, ids);
  await releaseNext(trx, ids);
  await trx('delivery').whereIn('id', ids).update({ status: 'DELIVERED', next_attempt_at: null });
  await releaseNext(trx, ids);
}

async function collectAndRelease(trx: Knex.Transaction, laid: Laid): Promise<void> {
  const [id = ''] = laidDeliveries(laid, 1);
  await collectDeliveries(trx, [{ id, dispatch: 1 }]);
  const { definition_id } = await trx('delivery').where({ id }).first('definition_id');
  const released = await releaseCollected(trx, definition_id);
  if (released.length !== 1) throw new Error(`${released.length} deliveries were released`);
}

function failed(laid: Laid) {
  return { definitionId: definitionOf(laid), failed: true, first: true, pauseMs: null, error: null };
}

/** One of which a delivery was given up. */
function replay(trx: Knex.Transaction, laid: Laid): Promise<unknown> {
  return replayEvent(trx, EMITTING_SITE, {
    eventRequestId: laidId(laid, 'event', laid.batches + EMITTERS - (laid.batches % EMITTERS)),
  });
}

function showEvents(trx: Knex.Transaction, laid: Laid): Promise<unknown> {
  const owner = { siteId: EMITTING_SITE, accountId: accountOf(laid, EMITTING_SITE), channel: null, date: null };
  const order = { column: 'triggered_at', direction: 'desc' } as const;
  return pageEventLog(trx, { ...owner, stage: 'production' }, {}, order, { offset: 0, limit: 20 });
}
