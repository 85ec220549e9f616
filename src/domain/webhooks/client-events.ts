/** Events whose names clients choose: those that they emit themselves, and notifications. */
import type { Knex } from 'knex';
import { DomainError } from '../kernel/errors.js';
import type { OpaqueJson } from '../kernel/opaque-json.js';
import { MAX_PAYLOAD_BYTES } from './emit-events.js';
import { NAMED_BY_SENDER } from './event-types/notification-event.js';
import { type EventDetails, makeEvent, type NewEvent } from './events/new-event.js';
import { type Emitted, type EventOrigin, recordEvents } from './events/record-events.js';
import { EVENT_TYPES, type PayloadOf } from './model/event-types.js';

/** Creates the event of a notification, with the name that the sender gives. @throws DomainError invalid (reserved) */
export function newNotificationEvent(payload: PayloadOf<typeof NAMED_BY_SENDER>, details: EventDetails): NewEvent {
  refuseReserved('OMS', payload.notificationType);
  return makeEvent(NAMED_BY_SENDER, payload, {
    ...details,
    source: 'OMS',
    name: payload.notificationType,
  });
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

/**
 * Returns why clients cannot emit an event; null: they can. Receivers rely on it that the events of the catalog and those
 * about webhook definitions come from Longshore. Documents are events of clients, which may emit them themselves.
 */
function refusalOf(source: string, event: string): string | null {
  if (source === 'CATALOG') return 'source: CATALOG is reserved for the events that Longshore emits itself';
  if (EVENT_TYPES.find(({ name }) => name === event)?.source !== 'OF_DEFINITION') return null;
  return `event: ${event} is reserved for the events that Longshore emits itself; choose another name`;
}
