/** Describes the events that are sent to the targets of webhook definitions, for the API description. */
import { EVENT_TYPES } from '../domain/webhooks/event-types.js';
import type { JsonSchema, SchemaWriter } from './json-schema.js';

const text: JsonSchema = { type: 'string' };

/** The fields of every event besides its payload. */
const ENVELOPE: Readonly<Record<string, JsonSchema>> = {
  eventRequestId: text,
  source: text,
  tenantId: { type: 'string', description: 'Your account' },
  channel: { type: ['integer', 'null'] },
  apiVersion: { type: 'string', description: 'The apiVersion of the webhook definition' },
  orderNumber: text,
  triggeredAt: { type: 'string', format: 'date-time' },
};

/** One entry for each event type, by its name. */
export function webhooksOf(writer: SchemaWriter): Record<string, unknown> {
  return Object.fromEntries(
    EVENT_TYPES.map(({ name, description, payload, example }) => {
      const properties = { event: text, ...ENVELOPE, payload: writer.output(payload, `${name}Payload`) };
      const required = Object.keys(properties).filter((field) => field !== 'orderNumber');
      const schema = { type: 'object', required, properties, examples: [{ event: name, payload: example }] };
      const post = {
        summary: description.charAt(0).toUpperCase() + description.slice(1),
        requestBody: { content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'The receiver has accepted the event' } },
      };
      return [name, { post }];
    }),
  );
}
