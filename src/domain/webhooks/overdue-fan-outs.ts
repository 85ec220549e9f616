/** Reads overdue fan-outs for the reconciler, and starts again those that the queue has lost. */
import type { Db } from '../../../db/connection.js';
import { type FanOutEntry, fanOutEntry } from './events/fan-out-entry.js';
import type { Position } from './redispatch/position.js';

/** Fan-outs that are read in one pass, unless some of them were lost. */
const FAN_OUTS = 500;

/**
 * Goes round through the overdue fan-outs of all events. Those that the queue still has are not marked: so the position is
 * in memory, and each pass continues where the previous one has stopped.
 */
export class OverdueFanOuts {
  /** Null: the next lap begins at the start. */
  #position: Position | null = null;

  /** Reads on: fan-outs that were due, or created their last page, more than `graceMs` ago. */
  async read(db: Db, graceMs: number): Promise<FanOutEntry[]> {
    const { rows } = await db.raw<{ rows: (Parameters<typeof fanOutEntry>[0] & Position)[] }>(OVERDUE_FAN_OUTS, {
      graceMs,
      ...(this.#position ?? { at: null, id: null, until: null }),
    });
    const last = rows[FAN_OUTS - 1];
    this.#position = last === undefined ? null : { at: last.at, id: last.id, until: last.until };
    return rows.map(fanOutEntry);
  }

  /** Whether overdue fan-outs are left in the lap. */
  hasMore(): boolean {
    return this.#position !== null;
  }
}

const LAP_END = "coalesce(:until::timestamptz, now() - :graceMs * interval '1 millisecond')";
/** Reads one range of event_fan_out_ix; events of one transaction have the same time, and only these are sorted. */
const OVERDUE_FAN_OUTS = `
  SELECT id, account_id, dispatch, fan_out_deaths, dispatched_at::text AS at, (${LAP_END})::text AS until
  FROM event
  WHERE fanned_out_at IS NULL AND dispatched_at < ${LAP_END}
    AND (dispatched_at, id) > (coalesce(:at::timestamptz, '-infinity'), coalesce(:id::text, '') COLLATE "C")
  ORDER BY dispatched_at, id LIMIT ${FAN_OUTS}`;

/** Gives a fan-out that the queue has lost a new fencing token. @returns null when it is being executed, or is done */
export function redispatchFanOut(db: Db, { payload }: FanOutEntry): Promise<FanOutEntry | null> {
  return db.transaction(async (trx) => {
    const row = trx('event').where({ id: payload.eventId, dispatch: payload.dispatch }).whereNull('fanned_out_at');
    if ((await row.clone().forNoKeyUpdate().skipLocked().first('id')) === undefined) return null;
    const [again] = await row
      .clone()
      .update({ dispatch: payload.dispatch + 1, dispatched_at: trx.fn.now() })
      .returning(['id', 'account_id', 'dispatch', 'fan_out_deaths']);
    return fanOutEntry(again);
  });
}
