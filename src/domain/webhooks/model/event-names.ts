/** How events may be named, and the aliases of event types. */
import { EVENT_TYPES, EVERY_EVENT } from './event-types.js';

/** The format of event names, including those of clients. */
export const EVENT_NAME = /^[A-Z][A-Z0-9_:.]*$/;
export const MAX_EVENT_NAME_CHARACTERS = 100;

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
