/** Describes the routes as an OpenAPI 3.1 document, from the schemas that check their requests. */

import type { BodySpec, ResponseSpec, Route } from './define-route.js';
import { createSchemaWriter, type JsonSchema, type SchemaWriter } from './json-schema.js';
import { errorResponsesOf, errorSchemas } from './openapi-errors.js';
import { headerParameters, schemaParameters } from './openapi-parameters.js';
import { webhooksOf } from './openapi-webhooks.js';

export interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: Record<string, unknown>;
  readonly tags: readonly { name: string }[];
  readonly paths: Record<string, Record<string, unknown>>;
  /** Requests that receivers get. */
  readonly webhooks: Record<string, unknown>;
  readonly components: Record<string, unknown>;
}

const DESCRIPTION = `Bulk catalog ingest: attributes, categories and items in bulk, by JSON or by file, carried out by workers.

Send \`Authorization: Bearer <token>\`, and on catalog, template, file and job operations the data set in
\`x-site-context\`. JSON bodies may come with \`Content-Encoding: gzip\`.`;

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: "A token of your account, or an operator's." },
  operatorBasic: { type: 'http', scheme: 'basic', description: "An operator's token as the password, for browsers." },
  clientBasic: { type: 'http', scheme: 'basic', description: 'An OAuth client and its secret.' },
};

/** The document. */
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
    info: { title: 'Longshore', version: '1', description: DESCRIPTION },
    tags: [...new Set(documented.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    webhooks: webhooksOf(writer),
    components: { schemas: { ...errorSchemas, ...writer.components }, securitySchemes: SECURITY_SCHEMES },
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
  const name = operationId(route);
  const responses = Object.entries(route.responses).map(([status, spec]) => [
    status,
    responseOf(spec, writer, `${name}${status}`),
  ]);
  return {
    operationId: name,
    tags: [route.tag],
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

function operationId(route: Route): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return route.method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function requestBodyOf(body: BodySpec, writer: SchemaWriter, name: string): Record<string, unknown> {
  if ('form' in body) {
    return {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: writer.input(body.form, `${name}Form`) } },
    };
  }
  if ('schema' in body) {
    const required = body.required !== false;
    return { required, content: { 'application/json': { schema: writer.input(body.schema, `${name}Body`) } } };
  }
  if (body.raw === 'stream') {
    return { required: true, content: { 'application/octet-stream': { schema: {} } } };
  }
  const items = writer.input(body.elementSchema, `${name}Element`);
  const schema: JsonSchema = { type: 'array', minItems: 1, maxItems: body.maxElements, items };
  return {
    required: true,
    description: `At most ${body.maxBytes} bytes.`,
    content: { 'application/json': { schema } },
  };
}

function responseOf(spec: ResponseSpec, writer: SchemaWriter, name: string): Record<string, unknown> {
  const { description, schema } = spec;
  if (schema === undefined && spec.contentType === undefined) return { description };
  const content = schema === undefined ? {} : { schema: writer.output(schema, name) };
  return { description, content: { [spec.contentType ?? 'application/json']: content } };
}

function securityOf({ auth, family }: Route): unknown[] {
  if (family === 'oauth') return [{ clientBasic: [] }, {}];
  if (!('scope' in auth)) return [];
  return auth.scope === 'operator' ? [{ bearer: [] }, { operatorBasic: [] }] : [{ bearer: [auth.scope] }];
}
