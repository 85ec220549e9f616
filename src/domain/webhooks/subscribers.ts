/** Who is subscribed to an event: the one place that says it, in SQL, for the statements that emit and for those that ask first. */
import { EVERY_EVENT } from './events/event-names.js';
import type { CatalogEvent } from './events/event-types.js';

/** Whether a `definition` of the site :siteId subscribes to an event `given` (source, names, channel). */
export const SUBSCRIBES = `definition.site_id = :siteId AND definition.source = given.source AND definition.status = 'ACTIVE'
  AND definition.events && given.names AND (definition.channel IS NULL OR definition.channel = given.channel)`;

/**
 * SQL, a boolean: whether any definition of the job's site subscribes to one of the events, under whichever channel.
 * To be selected beside a row of `job`; where it is false, nothing needs to be emitted.
 */
export function jobHasSubscribers(events: readonly CatalogEvent[]): string {
  const names = [...events, EVERY_EVENT].map((name) => `'${name}'`).join(', ');
  return `EXISTS (
    SELECT 1 FROM webhook_definition AS subscriber
    WHERE subscriber.site_id = job.site_id AND subscriber.source = 'CATALOG' AND subscriber.status = 'ACTIVE'
      AND subscriber.events && ARRAY[${names}])`;
}
