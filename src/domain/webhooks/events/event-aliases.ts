/** The aliases of event names. */
import { EVERY_EVENT } from '../event-types/event-names.js';
import type { EventNameOf } from '../model/event-types.js';

/** Maps an alias to the name under which events are stored and delivered: names that clients used in earlier releases. */
const ALIASES: ReadonlyMap<string, EventNameOf> = new Map([['ORDER_CREATE', 'ORDER_CREATED']]);

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
