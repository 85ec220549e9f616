/** Events as they are emitted: each carries a payload that its event type describes. */
import { channel } from 'node:diagnostics_channel';
import { type EventName, eventTypeOf, type PayloadOf } from '../event-types.js';

/** Gets `{name, payload}` of every event that this process makes; tests hold each against the schema of its type. */
const MADE = channel('longshore:event');

/** What is said of an event besides its payload. */
export interface EventDetails {
  /** Definitions made under a channel get only events of that channel. */
  readonly channel?: number | null | undefined;
  readonly orderNumber?: string | null | undefined;
  /** Gets the event too, signed with the account's secret, whether or not a definition subscribes to it. */
  readonly callbackUrl?: string | undefined;
}

/** Besides, what an event type may leave open. */
interface AllDetails extends EventDetails {
  /** Instead of the type's: of the webhook definition that the event is about. */
  readonly source?: string;
  /** Instead of the type's: given by the sender of a notification. */
  readonly name?: string;
}

/** A row of `event` to be. */
export interface EventRecord {
  readonly source: string;
  readonly event: string;
  /** A JSON text. */
  readonly payload: string;
  /** Definitions made under a channel get only events of that channel. */
  readonly channel?: number | null | undefined;
  readonly orderNumber?: string | null | undefined;
  /** Gets the event too, signed with the account's secret, whether or not a definition subscribes to it. */
  readonly callbackUrl?: string | undefined;
}

class MadeEvent {
  /** Private, so that no other object passes for an event that was made here. */
  readonly #record: EventRecord;

  constructor(record: EventRecord) {
    this.#record = record;
  }

  /** Its payload as a JSON text. */
  get payload(): string {
    return this.#record.payload;
  }

  get record(): EventRecord {
    return this.#record;
  }
}
/** An event to be emitted. */
export type NewEvent = MadeEvent;

/** Makes an event of any type: for the functions of webhooks, which offer it for some types each. */
export function makeEvent<Name extends EventName>(name: Name, payload: PayloadOf<Name>, details: AllDetails): NewEvent {
  const {
    channel: ofChannel,
    orderNumber,
    callbackUrl,
    source = eventTypeOf(name).source,
    name: event = name,
  } = details;
  const text = JSON.stringify(payload);
  if (MADE.hasSubscribers) MADE.publish({ name, payload: text });
  return new MadeEvent({
    source,
    event,
    payload: text,
    channel: ofChannel,
    orderNumber,
    callbackUrl,
  });
}
