/** How events may be named. What an event contains is in the registry: see event-types.ts. */

/** The format of event names, including those of clients. */
export const EVENT_NAME = /^[A-Z][A-Z0-9_:.]*$/;
export const MAX_EVENT_NAME_CHARACTERS = 100;

/** The name with which a definition subscribes to every event of its source. */
export const EVERY_EVENT = '*';
