/** Names of events, and which of them mean the same. */

/** The name of a definition that hears every event of its source. */
export const EVERY_EVENT = '*';

export const EVENT_NAME = /^[A-Z][A-Z0-9_:.]*$/;
export const MAX_EVENT_NAME_CHARACTERS = 100;

/** Other spelling → the name that events are kept and delivered under. */
const SAME_AS: Readonly<Record<string, string>> = { ORDER_CREATE: 'ORDER_CREATED' };

/** The name that an event is kept and delivered under. */
export function canonicalEventName(name: string): string {
  return SAME_AS[name] ?? name;
}

/** Every way in which a definition can ask for an event. */
export function namesThatHear(event: string): string[] {
  const canonical = canonicalEventName(event);
  const others = Object.keys(SAME_AS).filter((other) => SAME_AS[other] === canonical);
  return [canonical, ...others, EVERY_EVENT];
}
