/**
 * Defines what an event type is. Each file of this folder describes one type or a few similar ones; see event-types.ts.
 */
import type { z } from 'zod';

/**
 * CATALOG: changes of the catalog by jobs and requests. These events are created only if a definition subscribes to
 * them. OMS: documents and notifications. OF_DEFINITION: the source of the webhook definition that the event is about.
 */
export type EventSource = 'CATALOG' | 'OMS' | 'OF_DEFINITION';

export interface EventType<
  Name extends string = string,
  Source extends EventSource = EventSource,
  Payload extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly source: Source;
  /**
   * subscribers: every definition that subscribes to it gets the event. owner: only the owner of the definition that it
   * is about gets it. No definition can subscribe to it, and GET event-types does not list it.
   */
  readonly audience: 'subscribers' | 'owner';
  /** When it is emitted: a sentence without its capital and full stop, for GET event-types and the documentation. */
  readonly description: string;
  /** The schema of the JSON payload; it is strict, so that a field without a schema cannot be emitted. */
  readonly payload: Payload;
  /** An example payload, for the documentation and the API description. */
  readonly example: z.input<Payload>;
}

/** Lets the compiler check the example with the schema, and keeps the literal types of the name and the source. */
export function defineEventType<Name extends string, Source extends EventSource, Payload extends z.ZodType>(
  type: EventType<Name, Source, Payload>,
): EventType<Name, Source, Payload> {
  return type;
}
