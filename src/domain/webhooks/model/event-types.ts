/** The registry of all events that Longshore emits itself. Clients can emit their own events with other names. */
import type { z } from 'zod';
import { categoryDeleted } from '../event-types/category-events.js';
import { ping, webhookDeliveryFailed, webhookDisabled, webhookFailing } from '../event-types/definition-events.js';
import { documentEvents } from '../event-types/document-events.js';
import type { EventSource, EventType } from '../event-types/event-type.js';
import { feedOverdue, feedRunFailed } from '../event-types/feed-events.js';
import { itemCreated, itemDeleted, itemUpdated } from '../event-types/item-events.js';
import { exportReady, jobAwaitingApproval, jobCompleted, jobFailed } from '../event-types/job-events.js';
import { notificationEvent } from '../event-types/notification-event.js';

/** A new event type is registered here, in the order in which clients and the documentation list them. */
const REGISTRY = [
  ...documentEvents,
  notificationEvent,
  itemCreated,
  itemUpdated,
  itemDeleted,
  jobCompleted,
  jobFailed,
  jobAwaitingApproval,
  exportReady,
  categoryDeleted,
  feedRunFailed,
  feedOverdue,
  webhookFailing,
  webhookDisabled,
  webhookDeliveryFailed,
  ping,
] as const;

type Registered = (typeof REGISTRY)[number];

/** The names of the events that Longshore emits: of one source, or all. */
export type EventNameOf<Source extends EventSource = EventSource> = NameIn<Registered, Source>;
type NameIn<Type, Source extends EventSource> = Type extends EventType<infer Name, Source> ? Name : never;

/** The payload of the event with this name, before it becomes JSON. */
export type PayloadOf<Name extends EventNameOf> = PayloadIn<Registered, Name>;
type PayloadIn<Type, Name extends string> =
  Type extends EventType<infer Own, EventSource, infer Payload>
    ? Name extends Own
      ? DeepReadonly<z.input<Payload>>
      : never
    : never;
type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value;

export const EVENT_TYPES: readonly EventType[] = REGISTRY;
