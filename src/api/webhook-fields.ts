/** The fields of a webhook definition as requests carry them. */
import { z } from 'zod';
import { OpaqueJson } from '../domain/kernel/opaque-json.js';
import { EXPECTED_WEB_ADDRESS, isWebAddress, MAX_WEB_ADDRESS_CHARACTERS } from '../domain/kernel/web-address.js';
import { definitionFields, subscribedName } from '../domain/webhooks/definition-fields.js';
import { filterProblem } from '../domain/webhooks/definitions.js';
import { EVENT_TYPES } from '../domain/webhooks/model/event-types.js';
import { SOURCES } from '../domain/webhooks/model/known-events.js';
import { plainText } from './plain-text.js';

const MAX_EVENTS = 200;
const MAX_SOURCE_CHARACTERS = 100;
const MAX_API_VERSION_CHARACTERS = 100;
const MAX_API_KEY_CHARACTERS = 1_000;
const MAX_RATE = 10_000;

/** Blank or null: no value. */
const nothing = z.literal('').or(z.null());

/** An http or https address. */
const webAddress = plainText(MAX_WEB_ADDRESS_CHARACTERS).pipe(z.string().refine(isWebAddress, EXPECTED_WEB_ADDRESS));

/** A member of the body that the route names as `opaque`: any JSON value, kept byte for byte. */
export const opaqueJson = z.instanceof(OpaqueJson, { error: 'is required: any JSON value' });

const subscribedNames = z
  .array(subscribedName.meta({ 'x-extensible-enum': [...EVENT_TYPES.map(({ name }) => name), '*'] }))
  .min(1, 'name at least one event, or *')
  .max(MAX_EVENTS);

/** `[ORDER_CREATED, ORDER_SHIPPED]`, with or without quotation marks around the names. */
const bracketed = z
  .string()
  .regex(
    /^\s*\[[^[\]]*\]\s*$/,
    'expected a list of names: ["ORDER_CREATED"], or the text "[ORDER_CREATED, ORDER_SHIPPED]"',
  )
  .transform((text) => {
    const names = text.trim().slice(1, -1).split(',');
    return names.map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((name) => name !== '');
  });

const eventList = z
  .union([subscribedNames, bracketed.pipe(subscribedNames)])
  .transform((names) => [...new Set(names)])
  .meta({
    description:
      'A list, or the same as a bracketed text: [ORDER_CREATED, ORDER_SHIPPED]. * is every event of the source',
  });

/** Where events come from. */
export const eventSource = z
  .string()
  .max(MAX_SOURCE_CHARACTERS)
  .regex(
    new RegExp(`^(${SOURCES.join('|')}|[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_SERVICE)$`),
    `expected ${SOURCES.join(', ')} or a name that ends in _SERVICE`,
  )
  .meta({ 'x-extensible-enum': [...SOURCES] });

const apiKey = z
  .string()
  .trim()
  .min(1)
  .max(MAX_API_KEY_CHARACTERS)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'expected printable ASCII characters: it is sent as a header');

const format = z
  .string()
  .trim()
  .max(100)
  .regex(
    /^application\/(?:json|[a-z0-9][a-z0-9!#$&^_.-]*\+json)(?:\s*;\s*charset=utf-8)?$/i,
    'expected application/json or another JSON type such as application/cloudevents+json',
  );

const MAX_HEADERS = 20;
const MAX_HEADER_NAME_CHARACTERS = 100;

/** Headers of one connection only (RFC 9110 section 7.6.1), of the message itself, and those that have fields of their own. */
const OWN_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|expect|user-agent|x-api-key|webhook-.*|longshore-.*)$/;

const headerName = z
  .string()
  .toLowerCase()
  .max(MAX_HEADER_NAME_CHARACTERS)
  .regex(/^[a-z0-9!#$%&'*+.^_`|~-]+$/, 'expected the name of a header, such as x-team')
  .refine(
    (name) => !OWN_HEADERS.test(name),
    'this header cannot be set: it belongs to the connection, the body or the signature, or has a field of its own (targetApiKey, format)',
  );

const headers = nothing
  .transform(() => ({}))
  .or(
    z
      .record(headerName, apiKey)
      .refine((all) => Object.keys(all).length <= MAX_HEADERS, `expected at most ${MAX_HEADERS} headers`),
  );

/** A secret of the client's own: at least 24 and at most 64 bytes, as Standard Webhooks demands. */
export const signingSecret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'expected whsec_ and 24 to 64 bytes as base64',
  )
  .refine(
    (secret) => Buffer.from(secret.slice('whsec_'.length), 'base64').length <= 64,
    'expected whsec_ and 24 to 64 bytes as base64',
  );

/** What answers show of a filter: the text that was sent. */
export const shownFilter = z
  .unknown()
  .meta({ description: 'An object: the filter as it was sent; null: there is none' });

/** Routes name it as `opaque`, so that its numbers keep their digits. */
const filter = z
  .instanceof(OpaqueJson)
  .transform(({ text }, context) => {
    if (text === 'null') return null;
    const found = filterProblem(text);
    if (found !== null) {
      context.addIssue({ code: 'custom', path: [...found.path], message: found.message, input: text });
      return z.NEVER;
    }
    return text;
  })
  .meta({
    description:
      'An object: the definition gets only events whose payload passes. {path, equals: value}, {path, in: [value, …]}, {path, contains: value} for a list, or {path, exists: true}, with a JSON pointer as path and texts, numbers, booleans and null as values; or {all: […]} or {any: […]} of these, which can contain such a group once more. At most 20 conditions. null: it gets all',
    example: {
      all: [
        { path: '/status', in: ['PAID', 'SHIPPED'] },
        { path: '/customer/country', equals: 'DE' },
      ],
    },
  });

/** The fields of a definition. The route decides which of them are required. */
export const webhookFields = {
  target: webAddress.meta({ description: 'The address that is called' }),
  protocol: definitionFields.protocol.meta({
    description:
      'HTTPS: the target must begin with https://. HTTP: the target decides, so that https:// is called by TLS',
  }),
  source: eventSource,
  events: eventList,
  tenantId: z.string().optional().meta({ description: 'Your account; another account is refused' }),
  targetApiKey: nothing
    .transform(() => null)
    .or(apiKey)
    .meta({ description: 'It is sent to the target as x-api-key, and shown masked' }),
  headers: headers.meta({
    description:
      'Headers of the requests to the target, by name. Their values are stored encrypted and shown masked; a PATCH replaces all of them, and a mask keeps the value of its name',
  }),
  apiVersion: nothing.transform(() => '').or(plainText(MAX_API_VERSION_CHARACTERS)),
  format: format.meta({ description: 'The Content-Type of the requests to the target' }),
  callbackUrl: nothing
    .transform(() => null)
    .or(webAddress)
    .meta({
      description:
        'An address that is called when a delivery has failed permanently, the target has failed for days, or the definition is disabled',
    }),
  rateLimit: z.int().min(1).max(MAX_RATE).nullable().meta({
    description: 'The largest number of deliveries per second, from all worker processes together; null: no limit',
  }),
  ordering: definitionFields.ordering.meta({
    description:
      'key: deliveries of one key are attempted in the order in which their events were emitted, and one that fails keeps those of its key back until it ends. The key is the order number of the event, or else its document; an event with neither has no order. none: deliveries have no order',
  }),
  filter,
  collectHours: definitionFields.collectHours.meta({
    description:
      'How many hours the definition goes on collecting events after it was disabled; they are delivered when it is enabled again. 0: it collects none, and what it has collected is cancelled',
  }),
  createdDate: z.unknown().optional().meta({ description: 'Ignored' }),
  updatedDate: z.unknown().optional().meta({ description: 'Ignored' }),
};
