/** The parameters of an operation: path, query and the headers that this API reads. */
import { z } from 'zod';
import type { Route } from './define-route.js';
import { isObject, type SchemaWriter } from './json-schema.js';

/** One parameter for each property of an object schema. */
export function schemaParameters(
  schema: z.ZodType | undefined,
  place: 'path' | 'query',
  writer: SchemaWriter,
): unknown[] {
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
const key = z.string().min(1).max(255);
const prefer = z.string().regex(/^wait=\d+$/);

/** The headers that a route heeds. */
export function headerParameters(route: Route, writer: SchemaWriter): unknown[] {
  const header = (name: string, required: boolean, description: string, schema: z.ZodType): unknown => ({
    name,
    in: 'header',
    required,
    description,
    schema: writer.input(schema, name),
  });
  const context =
    'The data set, as JSON text: `{"account":"<24 characters>","stage":"production","channel":1,"date":"2026-01-31T00:00:00Z"}`. ' +
    '`account` is mandatory, the others narrow the scope.';
  return [
    ...(route.siteContext ? [header('x-site-context', true, context, z.string())] : []),
    ...(route.idempotent === true
      ? [
          header(
            'Idempotency-Key',
            false,
            'The same key and request again get the first answer again, for 24 hours.',
            key,
          ),
        ]
      : []),
    ...(route.prefersWait === true
      ? [
          header(
            'Prefer',
            false,
            '`wait=N`: answer with the result if the job ends within N seconds (at most 25).',
            prefer,
          ),
        ]
      : []),
    header('X-Request-Id', false, 'Echoed, and found in logs.', requestId),
  ];
}
