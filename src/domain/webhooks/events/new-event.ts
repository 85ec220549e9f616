/** Creates events to be emitted, each with a payload that fits the schema of its event type. */
import { channel } from 'node:diagnostics_channel';
import { writeJson } from '../../kernel/opaque-json.js';
import type { EventNameOf, PayloadOf } from '../model/event-types.js';

/** Publishes `{name, source, payload}` of every event of this process; tests validate each with its type. */
const MADE = channel('longshore:event');

/** The details of an event besides its payload. */
export interface EventDetails {
  /** Definitions with a channel get only events of that channel. */
  readonly channel?: number | null | undefined;
  readonly orderNumber?: string | null | undefined;
  /** The type and id of the document that the event is about, which is its key if it has no order number. */
  readonly document?: string | undefined;
  /** A URL that also gets the event, signed with the secret of the account, even if no definition subscribes to it. */
  readonly callbackUrl?: string | undefined;
}

interface AllDetails extends EventDetails {
  /** The source of the type; for OF_DEFINITION, the source of the webhook definition that the event is about. */
  readonly source: string;
  /** Replaces the name of the type: the name that the sender of a notification gives. */
  readonly name?: string;
}

/** An event as it is inserted into the table `event`. */
export interface EventRecord extends EventDetails {
  readonly source: string;
  readonly event: string;
  /** A JSON text. */
  readonly payload: string;
}

class MadeEvent {
  /** A private member, so that TypeScript accepts no other object as an event. */
  readonly #record: EventRecord;

  constructor(record: EventRecord) {
    this.#record = record;
  }

  /** The payload as a JSON text. */
  get payload(): string {
    return this.#record.payload;
  }

  get record(): EventRecord {
    return this.#record;
  }
}
/** An event to be emitted. */
export type NewEvent = MadeEvent;

/** Creates an event of any type. Code outside of webhooks uses newEvent or SubscriberQuery.event instead. */
export function makeEvent<Name extends EventNameOf>(
  name: Name,
  payload: PayloadOf<Name>,
  details: AllDetails,
): NewEvent {
  const { channel: ofChannel, orderNumber, document, callbackUrl, source, name: event = name } = details;
  const text = writeJson(payload);
  if (MADE.hasSubscribers) MADE.publish({ name, source, payload: text });
  return new MadeEvent({
    source,
    event,
    payload: text,
    channel: ofChannel,
    orderNumber,
    document,
    callbackUrl,
  });
}
