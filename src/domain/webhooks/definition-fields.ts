/** What the fields of a webhook definition accept, in requests and in archives of a stage. */
import { z } from 'zod';
import { MAX_COLLECT_HOURS, ORDERINGS, PROTOCOLS, REQUEST_TYPES } from './definitions/definition-input.js';
import { EVENT_NAME, EVERY_EVENT, MAX_EVENT_NAME_CHARACTERS } from './event-types/event-names.js';

const NAMES = 'of capitals, digits and _ : . such as ORDER_CREATED';

/** The name of one event; `*`, which subscriptions accept, is none. */
export const eventName = z.string().max(MAX_EVENT_NAME_CHARACTERS).regex(EVENT_NAME, `expected a name ${NAMES}`);

/** A name to which a definition can subscribe. */
export const subscribedName = z
  .string()
  .max(MAX_EVENT_NAME_CHARACTERS)
  .regex(new RegExp(`${EVENT_NAME.source}|^\\${EVERY_EVENT}$`), `expected names ${NAMES}, or *`);

export const definitionFields = {
  protocol: z.enum(PROTOCOLS),
  requestType: z.enum(REQUEST_TYPES),
  ordering: z.enum(ORDERINGS),
  collectHours: z.int().min(0).max(MAX_COLLECT_HOURS),
};
