/** The registry of all events that Longshore emits itself. Clients can emit their own events with other names. */
import type { z } from 'zod';
import { categoryDeleted } from './event-types/category-events.js';
import { ping, webhookDeliveryFailed, webhookDisabled, webhookFailing } from './event-types/definition-events.js';
import { documentEvents } from './event-types/document-events.js';
import type { EventSource, EventType } from './event-types/event-type.js';
import { itemCreated, itemDeleted, itemUpdated } from './event-types/item-events.js';
import { exportReady, jobCompleted, jobFailed } from './event-types/job-events.js';
import { notificationEvent } from './event-types/notification-event.js';

/** A new event type is registered here, in the order in which clients and the documentation list them. */
const REGISTRY = [
  ...documentEvents,
  notificationEvent,
  itemCreated,
  itemUpdated,
  itemDeleted,
  jobCompleted,
  jobFailed,
  exportReady,
  categoryDeleted,
  webhookFailing,
  webhookDisabled,
  webhookDeliveryFailed,
  ping,
] as const;

type Registered = (typeof REGISTRY)[number];

/** The name of an event that Longshore emits. */
export type EventName = Registered['name'];
/** The names of the events of one source. */
export type EventNameOf<Source extends EventSource> = NameIn<Registered, Source>;
type NameIn<Type, Source extends EventSource> = Type extends EventType<infer Name, Source> ? Name : never;

/** The payload of the event with this name, before it becomes JSON. */
export type PayloadOf<Name extends EventName> = PayloadIn<Registered, Name>;
type PayloadIn<Type, Name extends string> =
  Type extends EventType<infer Own, EventSource, infer Payload>
    ? Name extends Own
      ? DeepReadonly<z.input<Payload>>
      : never
    : never;
type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value;

export const EVENT_TYPES: readonly EventType[] = REGISTRY;

const BY_NAME: ReadonlyMap<string, EventType> = new Map(REGISTRY.map((type) => [type.name, type]));

export function eventTypeOf(name: EventName): EventType {
  const type = BY_NAME.get(name);
  if (type === undefined) throw new Error(`there is no event type ${name}`);
  return type;
}

/** The name with which a definition subscribes to every event of its source. */
export const EVERY_EVENT = '*';

/** The format of event names, including those of clients. */
export const EVENT_NAME = /^[A-Z][A-Z0-9_:.]*$/;
export const MAX_EVENT_NAME_CHARACTERS = 100;

/**
 * Returns why clients cannot emit an event; null: they can. Receivers rely on it that the events of the catalog and those
 * about webhook definitions come from Longshore. Documents are events of clients, which may emit them themselves.
 */
export function refusalOf(source: string, event: string): string | null {
  if (source === 'CATALOG') return 'source: CATALOG is reserved for the events that Longshore emits itself';
  const type = BY_NAME.get(event);
  if (type?.source !== 'OF_DEFINITION') return null;
  return `event: ${event} is reserved for the events that Longshore emits itself; choose another name`;
}

/** The sources to which any definition can subscribe. The names of all other sources end in _SERVICE. */
export const SOURCES = ['OMS', 'CATALOG'] as const;

/** An event to which definitions of a source can subscribe. */
interface KnownEvent {
  readonly source: (typeof SOURCES)[number];
  readonly event: string;
  readonly description: string;
}

/** Lists the events to which definitions can subscribe by a fixed name. */
export function knownEvents(): KnownEvent[] {
  return REGISTRY.filter((type) => type.audience === 'subscribers' && EVENT_NAME.test(type.name)).flatMap(
    ({ name, source: own, description }) =>
      (own === 'OF_DEFINITION' ? SOURCES : [own]).map((source) => ({ source, event: name, description })),
  );
}

// The aliases of event types

/** Maps an alias to the name under which events are stored and delivered. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  EVENT_TYPES.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])),
);

/** Returns the name under which an event is stored and delivered. */
export function canonicalEventName(name: string): string {
  return ALIASES.get(name) ?? name;
}

/** Returns all names with which a definition can subscribe to an event. */
export function subscribableNames(event: string): string[] {
  const canonical = canonicalEventName(event);
  const aliases = [...ALIASES.keys()].filter((alias) => ALIASES.get(alias) === canonical);
  return [canonical, ...aliases, EVERY_EVENT];
}
