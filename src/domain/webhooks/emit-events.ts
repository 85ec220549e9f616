/** Emits events: in the caller's transaction, so that what happened and its deliveries are committed together. */
import type { Db } from '../../../db/connection.js';
import type { Dispatch } from '../../queues/outbox.js';
import { DomainError } from '../kernel/errors.js';
import { NAMED_BY_SENDER } from './event-types/notification-event.js';
import type { EventNameOf, PayloadOf } from './event-types.js';
import { type EventDetails, makeEvent, type NewEvent } from './events/new-event.js';
import { type Emitted, type EventOrigin, recordEvents } from './events/record-events.js';

export type { NewEvent };

/** Of an event, in UTF-8. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;

/**
 * Records events with their deliveries.
 * @param events of the catalog from the query that asked whether anybody subscribes, others from newEvent
 */
export function emitEvents(trx: Db, origin: EventOrigin, events: readonly NewEvent[]): Promise<Emitted> {
  return recordEvents(
    trx,
    origin,
    events.map(({ record }) => record),
  );
}

/** Of documents: recorded whether or not a definition subscribes to them. */
type DocumentEventName = Exclude<EventNameOf<'OMS'>, typeof NAMED_BY_SENDER>;

/** An event for emitEvents. One of the catalog does not compile here: SubscriberQuery.event makes it. */
export function newEvent<Name extends DocumentEventName>(
  name: Name,
  payload: PayloadOf<Name>,
  details: EventDetails,
): NewEvent {
  return makeEvent(name, payload, details);
}

/** The event of a notification, under the name that its sender gives. */
export function newNotificationEvent(payload: PayloadOf<typeof NAMED_BY_SENDER>, details: EventDetails): NewEvent {
  return makeEvent(NAMED_BY_SENDER, payload, { ...details, name: payload.notificationType });
}

/** An event that a client emits, under a name of its own. */
export interface ClientEvent {
  readonly source: string;
  readonly event: string;
  /** Any JSON value. */
  readonly payload: unknown;
  readonly channel: number | null;
  readonly orderNumber?: string | null | undefined;
}

export interface AcceptedEvent {
  readonly eventRequestId: string;
  /** How many definitions subscribe to it. */
  readonly deliveries: number;
  /** What to enqueue once `trx` has committed. */
  readonly dispatches: Dispatch[];
}

/** @throws DomainError too-large (payload) */
export async function acceptEvent(
  trx: Db,
  { siteId, accountId }: EventOrigin,
  { payload, ...event }: ClientEvent,
): Promise<AcceptedEvent> {
  const text = JSON.stringify(payload);
  if (Buffer.byteLength(text, 'utf8') > MAX_PAYLOAD_BYTES) {
    const message = `payload: is larger than ${MAX_PAYLOAD_BYTES / 1024} kB; send what receivers need to look the rest up`;
    throw new DomainError('too-large', 'PAYLOAD_TOO_LARGE', message);
  }
  const { eventIds, deliveries, dispatches } = await recordEvents(trx, { siteId, accountId }, [
    { ...event, payload: text },
  ]);
  return { eventRequestId: eventIds[0] ?? '', deliveries, dispatches };
}
