/** Describes the errors that operations answer. */
import type { BodySpec, ErrorFamily, Route } from '../define-route.js';
import type { JsonSchema } from '../json-schema.js';
import { capitalized } from './words.js';

const text: JsonSchema = { type: 'string' };
const message: JsonSchema = { type: 'object', required: ['message'], properties: { message: text } };

/** The error schema of each family. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  CatalogError: {
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
  FilesError: {
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
  OmsError: message,
  NotificationError: { anyOf: [text, message] },
  OauthError: {
    type: 'object',
    required: ['error'],
    properties: { error: text, error_description: text },
  },
  OperatorError: message,
};

/** The errors that a route can answer besides those it names itself. */
export function errorResponsesOf(route: Route): Record<string, unknown> {
  const isWrite = route.method !== 'GET';
  const hasToken = 'scope' in route.auth;
  // Operations without a body refuse one that has fields.
  const readsBody = route.body !== undefined || isWrite;
  const namesData = route.siteContext !== false && isWrite;
  const descriptions: Record<string, string> = {
    400: 'The request is malformed',
    ...(hasToken ? { 401: 'There is no valid token', 403: 'The token does not allow this' } : {}),
    ...(hasToken && (namesData || route.params !== undefined)
      ? { 404: 'Something that the request names does not exist in this account and stage' }
      : {}),
    ...(readsBody ? { 408: 'The body did not arrive in time', 413: 'The body is too large' } : {}),
    ...(readsBody && !isStream(route.body) ? { 415: 'The body has another media type' } : {}),
    ...(namesData ? { 422: unprocessable(route) } : {}),
    ...(hasToken
      ? {
          429: 'Too many requests of the account wait, or one of its quotas is used up; try again after Retry-After seconds',
        }
      : {}),
    500: 'An unexpected error. Operators find it in the logs by X-Request-Id',
    503: 'The service is overloaded or being upgraded, or the database is out of reach; try again after Retry-After seconds',
    default: 'Any other error',
    ...route.refusals,
  };
  const schema = { $ref: `#/components/schemas/${schemaNameOf(route.family)}` };
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema } } },
    ]),
  );
}

function unprocessable({ idempotent }: Route): string {
  const stages = 'The stage is new, and the account has as many as it may have';
  return idempotent === true ? `The Idempotency-Key was used for another request. ${stages}` : stages;
}

/** Uploads are accepted with any Content-Type. */
function isStream(body: BodySpec | undefined): boolean {
  return body !== undefined && 'raw' in body && body.raw === 'stream';
}

function schemaNameOf(family: ErrorFamily): string {
  return `${capitalized(family)}Error`;
}
