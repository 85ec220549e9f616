/** A webhook definition as the archive of a stage has it: without secrets, and without its state. */
import { z } from 'zod';
import { isWebAddress, MAX_WEB_ADDRESS_CHARACTERS } from '../../kernel/web-address.js';
import { MAX_COLLECT_HOURS, ORDERINGS, PROTOCOLS, REQUEST_TYPES } from '../definitions/definition-input.js';
import { filterProblem } from '../definitions/payload-filter.js';
import { EVENT_NAME, MAX_EVENT_NAME_CHARACTERS } from './event-names.js';
import { EVERY_EVENT } from './event-types.js';

const MAX_EVENTS = 200;
const MAX_CHARACTERS = 100;
const MAX_RATE = 10_000;

const text = z.string().max(MAX_CHARACTERS);
const webAddress = z.string().max(MAX_WEB_ADDRESS_CHARACTERS).refine(isWebAddress, 'is no http or https address');
const eventName = z
  .string()
  .max(MAX_EVENT_NAME_CHARACTERS)
  .refine((name) => name === EVERY_EVENT || EVENT_NAME.test(name), 'is no name of an event');

const filter = z.string().check(({ value, issues }) => {
  const message = problemOf(value);
  if (message !== undefined) issues.push({ code: 'custom', input: value, message });
});

function problemOf(given: string): string | undefined {
  try {
    JSON.parse(given);
  } catch {
    return 'is no JSON text';
  }
  return filterProblem(given)?.message;
}

export const copiedDefinition = z.strictObject({
  target: webAddress,
  protocol: z.enum(PROTOCOLS),
  source: text.regex(/^(OMS|CATALOG|[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_SERVICE)$/, 'is no source of events'),
  events: z.array(eventName).min(1).max(MAX_EVENTS),
  requestType: z.enum(REQUEST_TYPES),
  apiVersion: text,
  format: text.regex(/^application\/\S+( *; *charset=utf-8)?$/i, 'is no JSON type'),
  callbackUrl: webAddress.nullable(),
  rateLimit: z.number().positive().max(MAX_RATE).nullable(),
  ordering: z.enum(ORDERINGS),
  filter: filter.nullable(),
  collectHours: z.int().min(0).max(MAX_COLLECT_HOURS),
  channel: z.int().nullable(),
});
export type CopiedDefinition = z.output<typeof copiedDefinition>;
