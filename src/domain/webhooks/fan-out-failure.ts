/** Records that a fan-out has failed or has ended its process, and what follows. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { withRetries } from '../../../db/with-retries.js';
import { backoffMs, STEP_BACKOFF } from '../../platform/backoff.js';
import { type FanOutEntry, type FanOutStep, fanOutEntry } from './events/fan-out-entry.js';

/** Records that a fan-out was found without its worker: each further start of it is suspect. */
export async function suspectFanOut(db: Db, { eventId, dispatch }: FanOutStep): Promise<void> {
  await db('event')
    .where({ id: eventId, dispatch })
    .whereNull('fanned_out_at')
    .whereNull('fan_out_deaths')
    .update({ fan_out_deaths: 0 });
}

/** A fan-out that has ended so many processes in which nothing else ran is stopped. */
const MAX_DEATHS = 3;

/** What follows from the failure of a fan-out. */
type FanOutFailure =
  | { readonly kind: 'again'; readonly entry: FanOutEntry; readonly delayMs: number }
  /** The fencing token is no longer that of the event, or the caller executes the fan-out again under the same token. */
  | { readonly kind: 'nothing' }
  /** Nothing more is done about it until somebody replays the event. */
  | { readonly kind: 'stopped'; readonly reason: string };

/**
 * Records that a fan-out has failed, and schedules another try. There is no limit to the tries, because the event was
 * accepted, except for one that ends its process: it is stopped, with its reason, and the events behind it go on.
 * @param death how it ended the process in which nothing else ran: the signal or the exit code
 */
export function recordFanOutFailure(
  db: Db,
  { eventId, dispatch }: FanOutStep,
  death: string | null,
): Promise<FanOutFailure> {
  return withRetries(db, async (trx) => {
    const own = () => trx('event').where({ id: eventId, dispatch }).whereNull('fanned_out_at');
    const event = await own().forNoKeyUpdate().first('fan_out_attempts', 'fan_out_deaths');
    if (event === undefined) return { kind: 'nothing' };
    if (death !== null) return recordDeath(own(), event.fan_out_deaths ?? 0, death);
    const delayMs = backoffMs(STEP_BACKOFF, event.fan_out_attempts + 1);
    const [again] = await own()
      .update({
        dispatch: dispatch + 1,
        dispatched_at: trx.raw("now() + ? * interval '1 millisecond'", [delayMs]),
        fan_out_attempts: event.fan_out_attempts + 1,
      })
      .returning(['id', 'account_id', 'dispatch', 'fan_out_deaths']);
    return { kind: 'again', entry: fanOutEntry(again), delayMs };
  });
}

async function recordDeath(own: Knex.QueryBuilder, before: number, how: string): Promise<FanOutFailure> {
  const deaths = before + 1;
  if (deaths < MAX_DEATHS) {
    await own.update({ fan_out_deaths: deaths });
    return { kind: 'nothing' };
  }
  const reason = `the deliveries of this event were not all created, because this ended the process (${how}) each of ${MAX_DEATHS} times, although nothing else ran there; to try it again, replay the event`;
  await own.update({ fan_out_deaths: deaths, fan_out_error: reason, fanned_out_at: new Date() });
  return { kind: 'stopped', reason };
}
