/** What an event type is. One file of this folder describes one type, or a small family; event-types.ts lists them all. */
import type { z } from 'zod';

/**
 * CATALOG: what jobs and requests do to the catalog; such events are created only where a definition subscribes to them.
 * OMS: documents and notifications. OF_DEFINITION: the source of the webhook definition that the event is about.
 */
export type EventSource = 'CATALOG' | 'OMS' | 'OF_DEFINITION';

export interface EventType<
  Name extends string = string,
  Source extends EventSource = EventSource,
  Payload extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly source: Source;
  /** Other names that clients may use for it. */
  readonly aliases?: readonly string[];
  /**
   * subscribers: every definition that subscribes to it. owner: only the owner of the definition that it is about; it
   * cannot be subscribed to, and GET event-types does not list it.
   */
  readonly audience: 'subscribers' | 'owner';
  /** When it is emitted: a sentence without its capital and full stop, for GET event-types and the documentation. */
  readonly description: string;
  /** The payload as receivers get it, in JSON; strict, so that a field without a schema cannot be emitted. */
  readonly payload: Payload;
  /** A payload, for the documentation and the API description. */
  readonly example: z.input<Payload>;
}

/** Has the compiler check a type's example against its schema, and keeps the literal types of its name and source. */
export function defineEventType<Name extends string, Source extends EventSource, Payload extends z.ZodType>(
  type: EventType<Name, Source, Payload>,
): EventType<Name, Source, Payload> {
  return type;
}
