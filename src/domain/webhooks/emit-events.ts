/**
 * Emits events in the caller's transaction, so that a change and its deliveries are committed together. If very many
 * definitions subscribe to an event, a queue job creates the deliveries afterwards, page by page.
 */
import type { Knex } from 'knex';
import type { NAMED_BY_SENDER } from './event-types/notification-event.js';
import { type EventDetails, makeEvent, type NewEvent } from './events/new-event.js';
import { type Emitted, type EventOrigin, recordEvents } from './events/record-events.js';
import type { EventNameOf, PayloadOf } from './model/event-types.js';

/** The maximum size of the payload of an event, in UTF-8. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/**
 * Records events with their deliveries.
 * @param events catalog events come from SubscriberQuery.event, others from newEvent
 */
export function emitEvents(trx: Knex.Transaction, origin: EventOrigin, events: readonly NewEvent[]): Promise<Emitted> {
  return recordEvents(
    trx,
    origin,
    events.map(({ record }) => record),
  );
}

/** Events of documents, which are recorded whether or not a definition subscribes to them. */
type DocumentEventName = Exclude<EventNameOf<'OMS'>, typeof NAMED_BY_SENDER>;

/** Creates an event for emitEvents. Catalog events do not compile here: SubscriberQuery.event creates them. */
export function newEvent<Name extends DocumentEventName>(
  name: Name,
  payload: PayloadOf<Name>,
  details: EventDetails,
): NewEvent {
  return makeEvent(name, payload, { ...details, source: 'OMS' });
}
