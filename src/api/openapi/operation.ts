/** Describes one operation: its parameters, its body and its answers. */
import type { BodySpec, ResponseSpec, Route } from '../define-route.js';
import type { JsonSchema, SchemaWriter } from '../json-schema.js';
import { errorResponsesOf } from './errors.js';
import { headerParameters, schemaParameters } from './parameters.js';
import { securityOf } from './security.js';
import { taskOf } from './tasks.js';
import { capitalized } from './words.js';

export function operationOf(route: Route, writer: SchemaWriter): Record<string, unknown> {
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
