/** Describes the routes as an OpenAPI 3.1 document, from the schemas that check their requests. */
import { z } from 'zod';
import { siteContextSchema } from '../domain/access/parse-site-context.js';
import { EVENT_TYPES } from '../domain/webhooks/event-types.js';
import { type BodySpec, type ErrorFamily, EXAMPLE_ID, type ResponseSpec, type Route } from './define-route.js';
import { createSchemaWriter, isObject, type JsonSchema, type SchemaWriter } from './json-schema.js';

// Errors

const text: JsonSchema = { type: 'string' };
const message: JsonSchema = { type: 'object', required: ['message'], properties: { message: text } };

/** The error schema of each family. */
const errorSchemas: Readonly<Record<string, JsonSchema>> = {
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
function errorResponsesOf(route: Route): Record<string, unknown> {
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

interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: Record<string, unknown>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Record<string, Record<string, unknown>>;
  /** Requests that are sent to receivers. */
  readonly webhooks: Record<string, unknown>;
  readonly components: Record<string, unknown>;
}

/** What /docs opens with. The link is relative, so that it is correct behind a path prefix too. */
const DESCRIPTION = `Longshore imports attributes, categories and items in bulk, as JSON or from files. Workers execute the jobs; each row
is applied, unchanged, or in the job's errors.

**New here?** The [guide](guide) has one page for each task, from the first import to webhooks.

1. Send \`Authorization: Bearer <token>\`. The button *Authorize* does it for this page; \`npm start\` writes a token to
   \`.data/credentials.json\`.
2. Name the data set with \`x-site-context: {"account": "<id of your account>"}\` in the operations of the catalog,
   files and jobs; \`"stage"\` in it names another data set than \`production\`.
3. Set up a catalog in this order: attributes, their mapping, categories with their attributes, items. The examples can
   be sent to an empty account as they are, in this order. \`${EXAMPLE_ID}\` stands for an id of yours.

JSON bodies may be sent with \`Content-Encoding: gzip\`.`;

interface Task {
  readonly name: string;
  readonly description: string;
  /** The tags of the routes with which it is done. */
  readonly of: readonly string[];
}

/** The groups of the operations, in the order in which most people need them. */
const TASKS: readonly Task[] = [
  {
    name: 'Set up the catalog',
    description: 'Attributes and their roles, and the trees of categories, which determine what items have',
    of: ['Attributes', 'Categories'],
  },
  { name: 'Send and read items', description: 'Items, variants and bundles as JSON', of: ['Items'] },
  {
    name: 'Import a file',
    description: 'Templates with the columns of a file, its upload, and downloads',
    of: ['Files', 'Templates'],
  },
  {
    name: 'Follow a job',
    description: 'The progress, errors and result of every bulk request, import, export and replay',
    of: ['Jobs'],
  },
  { name: 'Export', description: 'Jobs that write a file of the catalog', of: ['Exports'] },
  {
    name: 'Receive webhooks',
    description: 'Definitions of who is called on which events, what was delivered, and deliveries once more',
    of: ['Webhooks'],
  },
  { name: 'Emit events', description: 'Events of your systems, which are sent to webhooks', of: ['Events'] },
  {
    name: 'Register documents and notify',
    description: 'Orders, shipments and the like, and messages about them',
    of: ['Documents', 'Notifications'],
  },
  { name: 'Get access', description: 'Tokens for OAuth clients, and the audit log', of: ['Access'] },
  { name: 'Operate', description: 'Whether a process is alive and ready, and its documentation', of: ['Operations'] },
];

/** Routes of tests have tags of their own, which are shown as they are. */
function taskOf(tag: string): string {
  return TASKS.find(({ of }) => of.includes(tag))?.name ?? tag;
}

/** The groups that have operations; the tags without a task come last. */
function groupsOf(routes: readonly Route[]): { readonly name: string; readonly description?: string }[] {
  const used = new Set(routes.map(({ tag }) => taskOf(tag)));
  const tasks = TASKS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
  const others = [...used].filter((name) => !TASKS.some((task) => task.name === name)).map((name) => ({ name }));
  return [...tasks, ...others];
}

/** Relative to the address of the description, so that it is correct behind a path prefix too. */
const SERVERS = [{ url: '.', description: 'The system that has answered this description' }];

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: "A token of your account, or an operator's." },
  operatorBasic: { type: 'http', scheme: 'basic', description: "An operator's token as the password, for browsers." },
  clientBasic: { type: 'http', scheme: 'basic', description: 'An OAuth client and its secret.' },
};

/** The OpenAPI document of these routes. */
export function openapiOf(routes: readonly Route[]): OpenapiDocument {
  const documented = routes.filter((route) => route.undocumented !== true);
  const writer = createSchemaWriter();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of documented) {
    const path = openapiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, writer) };
  }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'Longshore', version: '1', description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
      contact: { name: 'The operator of this system' },
    },
    servers: SERVERS,
    tags: groupsOf(documented),
    paths,
    webhooks: webhooksOf(writer),
    components: { schemas: { ...errorSchemas, ...writer.components }, securitySchemes: schemesOf(documented) },
  };
}

/**
 * `/jobs/:id` as OpenAPI writes it: `/jobs/{id}`.
 * @internal exported for tests
 */
export function openapiPath(path: string): string {
  return path.replace(/[:*]([A-Za-z_]\w*)/g, '{$1}');
}

function operationOf(route: Route, writer: SchemaWriter): Record<string, unknown> {
  const name = route.operationId;
  const responses = Object.entries(route.responses).map(([status, spec]) => [
    status,
    responseOf(spec, writer, answerName(route, status)),
  ]);
  return {
    operationId: name,
    tags: [taskOf(route.tag)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    parameters: [
      ...schemaParameters(route.params, 'path', writer),
      ...schemaParameters(route.query, 'query', writer),
      ...headerParameters(route, writer),
    ],
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body, writer, name) }),
    responses: { ...errorResponsesOf(route), ...Object.fromEntries(responses) },
    security: securityOf(route),
  };
}

/** The words of a text, each with a capital. */
function operationWords(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map(capitalized).join('');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The name of an answer's schema that has none itself: `ListJobsAnswer`, with the status if the operation has several. */
function answerName({ operationId, responses }: Route, status: string): string {
  const several = Object.values(responses).filter(({ schema }) => schema !== undefined).length > 1;
  return `${capitalized(operationId)}Answer${several ? status : ''}`;
}

function requestBodyOf(body: BodySpec, writer: SchemaWriter, name: string): Record<string, unknown> {
  if ('raw' in body && body.raw === 'stream') {
    return { required: true, content: { 'application/octet-stream': { schema: {} } } };
  }
  const example = body.example === undefined ? {} : { example: body.example };
  if ('form' in body) {
    const schema = writer.namedInput(body.form, `${capitalized(name)}Request`);
    return { required: true, content: { 'application/x-www-form-urlencoded': { schema, ...example } } };
  }
  if ('schema' in body) {
    const schema = writer.namedInput(body.schema, `${capitalized(name)}Request`);
    return { required: body.required !== false, content: { 'application/json': { schema, ...example } } };
  }
  const items = writer.namedInput(body.elementSchema, `${capitalized(name)}Element`);
  const schema: JsonSchema = { type: 'array', minItems: 1, maxItems: body.maxElements, items };
  return {
    required: true,
    description: `At most ${body.maxBytes} bytes.`,
    content: { 'application/json': { schema, ...example } },
  };
}

function responseOf(spec: ResponseSpec, writer: SchemaWriter, name: string): Record<string, unknown> {
  const { description, schema } = spec;
  if (schema === undefined && spec.contentType === undefined) return { description };
  const content = schema === undefined ? {} : { schema: writer.namedOutput(schema, name) };
  return { description, content: { [spec.contentType ?? 'application/json']: content } };
}

/** The schemes that the operations use. */
function schemesOf(routes: readonly Route[]): Record<string, unknown> {
  const used = new Set(routes.flatMap(securityOf).flatMap(Object.keys));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

function securityOf({ auth, family }: Route): Readonly<Record<string, readonly string[]>>[] {
  if (family === 'oauth') return [{ clientBasic: [] }, {}];
  if (!('scope' in auth)) return [];
  return auth.scope === 'operator' ? [{ bearer: [] }, { operatorBasic: [] }] : [{ bearer: [auth.scope] }];
}

// Parameters: path, query and headers

/** One parameter for each property of an object schema. */
function schemaParameters(schema: z.ZodType | undefined, place: 'path' | 'query', writer: SchemaWriter): unknown[] {
  if (schema === undefined) return [];
  const { properties, required } = writer.input(schema, 'parameters');
  if (!isObject(properties)) return [];
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = isObject(property) ? property : {};
    return {
      name,
      in: place,
      required: place === 'path' || needed.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

const requestId = z.string().max(128);
const tenantKey = z.string().length(24);
const key = z.string().min(1).max(255);
const prefer = z.string().regex(/^wait=\d+$/);

/** A header whose text is JSON. */
function siteContext(required: boolean, writer: SchemaWriter): unknown {
  const otherwise = required ? '' : ' Default: the stage production, without a channel.';
  return {
    name: 'x-site-context',
    in: 'header',
    required,
    description: `The data set to work on, as the text of a JSON object. The account must be the token's.${otherwise}`,
    content: {
      'application/json': {
        schema: writer.input(siteContextSchema, 'x-site-context'),
        example: { account: EXAMPLE_ID, stage: 'production' },
      },
    },
  };
}

/** The headers that a route reads. */
function headerParameters(route: Route, writer: SchemaWriter): unknown[] {
  const header = (name: string, required: boolean, description: string, schema: z.ZodType): unknown => ({
    name,
    in: 'header',
    required,
    description,
    schema: writer.input(schema, name),
  });
  return [
    ...(route.siteContext === 'tenant-key'
      ? [header('tenant-key', true, "The id of your account, which must be the token's.", tenantKey)]
      : []),
    ...(route.siteContext === false ? [] : [siteContext(route.siteContext === true, writer)]),
    ...(route.idempotent === true
      ? [
          header(
            'Idempotency-Key',
            false,
            'If you repeat a request with the same key within 24 hours, you get the first answer again.',
            key,
          ),
        ]
      : []),
    ...(route.prefersWait === true
      ? [
          header(
            'Prefer',
            false,
            '`wait=N`: the answer is the result, if the job ends within N seconds (at most 25).',
            prefer,
          ),
        ]
      : []),
    header('X-Request-Id', false, 'Returned with the response, and part of our logs.', requestId),
  ];
}

// Describes the events that are sent to the targets of webhook definitions, for the API description.

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
function webhooksOf(writer: SchemaWriter): Record<string, unknown> {
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
