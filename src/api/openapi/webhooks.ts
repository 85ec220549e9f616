/** Describes the events that are sent to the targets of webhook definitions, for the API description. */
import { EVENT_TYPES } from '../../domain/webhooks/model/event-types.js';
import { EXAMPLE_ID } from '../define-route.js';
import type { JsonSchema, SchemaWriter } from '../json-schema.js';
import { operationWords } from './words.js';

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

const EXAMPLE_ENVELOPE = {
  eventRequestId: EXAMPLE_ID,
  tenantId: EXAMPLE_ID,
  channel: null,
  apiVersion: 'v1',
  triggeredAt: '2026-01-31T09:30:00.000Z',
};

/** One entry for each event type, by its name. */
export function webhooksOf(writer: SchemaWriter): Record<string, unknown> {
  return Object.fromEntries(
    EVENT_TYPES.map(({ name, source, description, payload, example }) => {
      const from = source === 'OF_DEFINITION' ? 'OMS' : source;
      const properties = { event: text, ...ENVELOPE, payload: writer.output(payload, `${name}Payload`) };
      const required = Object.keys(properties).filter((field) => field !== 'orderNumber');
      const schema = {
        type: 'object',
        required,
        properties,
        examples: [{ event: name, source: from, ...EXAMPLE_ENVELOPE, payload: example }],
      };
      const post = {
        operationId: `on${operationWords(name.toLowerCase())}`,
        summary: description.charAt(0).toUpperCase() + description.slice(1),
        requestBody: { content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'The receiver has accepted the event' } },
        // The signature in the headers of the request says that it is ours.
        security: [],
      };
      return [name, { post }];
    }),
  );
}
