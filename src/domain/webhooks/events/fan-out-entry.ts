/** The outbox entry of a fan-out. */
import type { Event } from '../../../../db/models/event.js';
import type { OutboxEntry } from '../../../queues/outbox.js';

/** A page of a fan-out that a worker was given. */
export interface FanOutStep {
  readonly eventId: string;
  readonly dispatch: number;
}

/** The columns of an event that make the outbox entry of its fan-out. */
export type DueFanOut = Pick<Event, 'id' | 'account_id' | 'dispatch' | 'fan_out_deaths'>;

/** The outbox entry of a fan-out. It stays suspect, under whatever fencing token, until it is done. */
export function fanOutEntry({ id, account_id: account, dispatch, fan_out_deaths: deaths }: DueFanOut): FanOutEntry {
  return {
    queue: 'fan-out',
    payload: { eventId: id, dispatch, account, ...(deaths === null ? {} : { suspect: true }) },
  };
}

export type FanOutEntry = Extract<OutboxEntry, { queue: 'fan-out' }>;
