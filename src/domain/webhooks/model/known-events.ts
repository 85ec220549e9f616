/** The events that Longshore emits itself, as clients see them. */
import { EVENT_NAME } from '../event-types/event-names.js';
import { EVENT_TYPES } from './event-types.js';

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
  return EVENT_TYPES.filter((type) => type.audience === 'subscribers' && EVENT_NAME.test(type.name)).flatMap(
    ({ name, source: own, description }) =>
      (own === 'OF_DEFINITION' ? SOURCES : [own]).map((source) => ({ source, event: name, description })),
  );
}
