/** How errors look in each area, for the API description. */
import type { BodySpec, ErrorFamily, Route } from './define-route.js';
import type { JsonSchema } from './json-schema.js';

const text: JsonSchema = { type: 'string' };
const message: JsonSchema = { type: 'object', required: ['message'], properties: { message: text } };

/** One schema a family. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  catalogError: {
    type: 'object',
    required: ['code', 'message'],
    properties: {
      code: text,
      message: text,
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['code', 'message'],
          properties: { index: { type: 'integer' }, path: text, code: text, message: text },
        },
      },
    },
  },
  filesError: {
    type: 'object',
    required: ['message', 'type', 'errors'],
    properties: {
      message: text,
      type: {
        enum: [
          'CLIENT_ERROR',
          'UNAUTHORIZED_ERROR',
          'REQUEST_DENIED',
          'NOT_FOUND',
          'CONFLICT',
          'PAYLOAD_LIMIT_EXCEEDED_ERROR',
          'SERVER_ERROR',
        ],
      },
      errors: {
        type: 'array',
        items: { type: 'object', required: ['type', 'message'], properties: { type: text, message: text, path: text } },
      },
    },
  },
  omsError: message,
  notificationError: { anyOf: [text, message] },
  oauthError: {
    type: 'object',
    required: ['error'],
    properties: { error: text, error_description: text },
  },
  operatorError: message,
};

/** The errors that a route can answer besides those it names itself. */
export function errorResponsesOf(route: Route): Record<string, unknown> {
  const told: Record<string, string> = {
    400: 'The request is malformed',
    ...('scope' in route.auth ? { 401: 'No valid token', 403: 'The token does not allow this' } : {}),
    ...(route.body === undefined ? {} : { 413: 'The body is too large' }),
    ...(route.body === undefined || isStream(route.body) ? {} : { 415: 'The body is of another type' }),
    ...(route.idempotent === true ? { 422: 'The Idempotency-Key was used for another request' } : {}),
    503: 'Out of reach or full for the moment; try again after Retry-After seconds',
    default: 'Any other error',
  };
  const schema = { $ref: `#/components/schemas/${schemaNameOf(route.family)}` };
  return Object.fromEntries(
    Object.entries(told).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema } } },
    ]),
  );
}

/** Bytes are taken as they are, whatever their Content-Type. */
function isStream(body: BodySpec): boolean {
  return 'raw' in body && body.raw === 'stream';
}

function schemaNameOf(family: ErrorFamily): string {
  return `${family}Error`;
}
