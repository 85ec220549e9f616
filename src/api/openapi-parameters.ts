/** The parameters of an operation: path, query and the headers that this API reads. */
import { z } from 'zod';
import { siteContextSchema } from '../domain/access/parse-site-context.js';
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
const tenantKey = z.string().length(24);
const key = z.string().min(1).max(255);
const prefer = z.string().regex(/^wait=\d+$/);

/** A header whose text is JSON. */
function siteContext(required: boolean, writer: SchemaWriter): unknown {
  const otherwise = required ? '' : ' Without it: stage production, no channel.';
  return {
    name: 'x-site-context',
    in: 'header',
    required,
    description: `The data set to work on, as the text of a JSON object. The account must be the token's.${otherwise}`,
    content: {
      'application/json': {
        schema: writer.input(siteContextSchema, 'x-site-context'),
        example: { account: '0123456789abcdef01234567', stage: 'production' },
      },
    },
  };
}

/** The headers that a route heeds. */
export function headerParameters(route: Route, writer: SchemaWriter): unknown[] {
  const header = (name: string, required: boolean, description: string, schema: z.ZodType): unknown => ({
    name,
    in: 'header',
    required,
    description,
    schema: writer.input(schema, name),
  });
  return [
    ...(route.siteContext === 'tenant-key'
      ? [header('tenant-key', true, "Your account's id: the token's account.", tenantKey)]
      : []),
    ...(route.siteContext === false ? [] : [siteContext(route.siteContext === true, writer)]),
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
