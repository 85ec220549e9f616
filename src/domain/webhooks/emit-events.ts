/**
 * Emits events in the caller's transaction, so that a change and its deliveries are committed together. If very many
 * definitions subscribe to an event, a queue job creates the deliveries afterwards, page by page.
 */
import type { Knex } from 'knex';
import { DomainError } from '../kernel/errors.js';
import type { OpaqueJson } from '../kernel/opaque-json.js';
import { NAMED_BY_SENDER } from './event-types/notification-event.js';
import { type EventDetails, makeEvent, type NewEvent } from './events/new-event.js';
import { type Emitted, type EventOrigin, recordEvents } from './events/record-events.js';
import { type EventNameOf, type PayloadOf, refusalOf } from './model/event-types.js';

export type { NewEvent };

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
  return makeEvent(name, payload, details);
}

/** Creates the event of a notification, with the name that the sender gives. @throws DomainError invalid (reserved) */
export function newNotificationEvent(payload: PayloadOf<typeof NAMED_BY_SENDER>, details: EventDetails): NewEvent {
  refuseReserved('OMS', payload.notificationType);
  return makeEvent(NAMED_BY_SENDER, payload, { ...details, name: payload.notificationType });
}

/** An event that a client emits, with a name of its own. */
interface ClientEvent {
  readonly source: string;
  readonly event: string;
  readonly payload: OpaqueJson;
  readonly channel: number | null;
  readonly orderNumber?: string | null | undefined;
}

/**
 * Records events that a client emits.
 * @throws DomainError too-large (a payload), invalid (a reserved name); it names the event if there are several
 */
export async function acceptEvents(
  trx: Knex.Transaction,
  origin: EventOrigin,
  events: readonly ClientEvent[],
): Promise<Emitted> {
  const records = events.map(({ payload, ...event }, index) => {
    const where = events.length === 1 ? '' : `${index}.`;
    refuseReserved(event.source, event.event, where);
    const { text } = payload;
    if (Buffer.byteLength(text, 'utf8') > MAX_PAYLOAD_BYTES) {
      const message = `${where}payload: is larger than ${MAX_PAYLOAD_BYTES / 1024} kB; send ids by which receivers can load the rest`;
      throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
    }
    return { ...event, payload: text };
  });
  return recordEvents(trx, origin, records);
}

/** @throws DomainError invalid */
function refuseReserved(source: string, event: string, where = ''): void {
  const message = refusalOf(source, event);
  if (message !== null) throw new DomainError('invalid', 'EVENT_RESERVED', `${where}${message}`);
}
