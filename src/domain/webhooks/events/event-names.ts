/** Names of events that mean the same: an event type may have aliases. */
import { EVENT_TYPES, EVERY_EVENT } from '../event-types.js';

/** Alias → the name that events are kept and delivered under. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  EVENT_TYPES.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name])),
);

/** The name that an event is kept and delivered under. */
export function canonicalEventName(name: string): string {
  return ALIASES.get(name) ?? name;
}

/** Every name with which a definition can subscribe to an event. */
export function subscribableNames(event: string): string[] {
  const canonical = canonicalEventName(event);
  const aliases = [...ALIASES.keys()].filter((alias) => ALIASES.get(alias) === canonical);
  return [canonical, ...aliases, EVERY_EVENT];
}
