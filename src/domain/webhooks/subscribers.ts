/**
 * Decides in SQL which definitions subscribe to an event, for statements that emit events and those that check first.
 */
import { receives } from './delivery-rows/delivery-sql.js';
import { EVERY_EVENT } from './event-types/event-names.js';
import { aliasesOf } from './events/event-aliases.js';
import { type EventDetails, makeEvent, type NewEvent } from './events/new-event.js';
import type { EventNameOf, PayloadOf } from './model/event-types.js';

/** Checks whether any definition subscribes to certain catalog events. Only through it can these events be created. */
interface SubscriberQuery<Asked extends EventNameOf<'CATALOG'>> {
  /**
   * A boolean SQL expression: whether a definition of a site, in any channel, gets or collects one of the events. Where it
   * is false, none of them needs to be emitted.
   * @param siteId an SQL expression: `job.site_id` in a statement that reads a row of `job`
   */
  isAnySubscribed(siteId: string): string;
  /** Creates an event for emitEvents. An event that the query does not check for does not compile. */
  event<Name extends Asked>(name: Name, payload: PayloadOf<Name>, details: EventDetails): NewEvent;
}

export function subscribersOf<Asked extends EventNameOf<'CATALOG'>>(
  ...asked: readonly Asked[]
): SubscriberQuery<Asked> {
  const names = asked.flatMap((name) => [name, ...aliasesOf(name)]);
  const list = [...names, EVERY_EVENT].map((name) => `'${name}'`).join(', ');
  return {
    // Without OFFSET, a statement for several jobs might read the definitions of all sites to look each of them up.
    isAnySubscribed: (siteId) => `EXISTS (
      SELECT 1 FROM webhook_definition AS subscriber
      WHERE subscriber.site_id = ${siteId} AND subscriber.source = 'CATALOG' AND ${receives('subscriber')}
        AND subscriber.events && ARRAY[${list}]
      OFFSET 0)`,
    event: (name, payload, details) => makeEvent(name, payload, { ...details, source: 'CATALOG' }),
  };
}
