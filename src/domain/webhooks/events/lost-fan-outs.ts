/** Fan-outs that should be on the queue and may not be: a crash between commit and enqueue, a flushed Redis. */
import type { Db } from '../../../../db/connection.js';
import type { Dispatch } from '../../../queues/outbox.js';

export type FanOutDispatch = Extract<Dispatch, { queue: 'fan-out' }>;

const BATCH = 500;

/** Those that were due, or last made a page, more than `graceMs` ago. */
export async function overdueFanOuts(db: Db, graceMs: number): Promise<FanOutDispatch[]> {
  const rows: { id: string; dispatch: number }[] = await db('event')
    .whereNull('fanned_out_at')
    .whereRaw("dispatched_at < now() - ? * interval '1 millisecond'", [graceMs])
    .orderBy('dispatched_at')
    .limit(BATCH)
    .select('id', 'dispatch');
  return rows.map(({ id, dispatch }) => ({ queue: 'fan-out', payload: { eventId: id, dispatch } }));
}

/** Dispatches anew what the queue has lost. @returns null when somebody is at it, or has done it */
export function redispatchFanOut(db: Db, { payload }: FanOutDispatch): Promise<FanOutDispatch | null> {
  return db.transaction(async (trx) => {
    const row = trx('event').where({ id: payload.eventId, dispatch: payload.dispatch }).whereNull('fanned_out_at');
    if ((await row.clone().forNoKeyUpdate().skipLocked().first('id')) === undefined) return null;
    const dispatch = payload.dispatch + 1;
    await row.clone().update({ dispatch, dispatched_at: trx.fn.now() });
    return { queue: 'fan-out', payload: { eventId: payload.eventId, dispatch } };
  });
}
