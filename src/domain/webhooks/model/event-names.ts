/** How events may be named, and their aliases. What an event contains is in the registry: see event-types.ts. */
import type { EventName } from './event-types.js';

/** The format of event names, including those of clients. */
export const EVENT_NAME = /^[A-Z][A-Z0-9_:.]*$/;
export const MAX_EVENT_NAME_CHARACTERS = 100;

/** The name with which a definition subscribes to every event of its source. */
export const EVERY_EVENT = '*';

/** Maps an alias to the name under which events are stored and delivered: names that clients used in earlier releases. */
const ALIASES: ReadonlyMap<string, EventName> = new Map([['ORDER_CREATE', 'ORDER_CREATED']]);

/** Returns the name under which an event is stored and delivered. */
export function canonicalEventName(name: string): string {
  return ALIASES.get(name) ?? name;
}

/** Returns the other names with which clients may name an event. @param name that under which it is stored */
export function aliasesOf(name: string): string[] {
  return [...ALIASES].flatMap(([alias, canonical]) => (canonical === name ? [alias] : []));
}

/** Returns all names with which a definition can subscribe to an event. */
export function subscribableNames(event: string): string[] {
  const canonical = canonicalEventName(event);
  return [canonical, ...aliasesOf(canonical), EVERY_EVENT];
}
