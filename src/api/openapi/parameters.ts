/** Describes the parameters of an operation: path, query and headers. */
import { z } from 'zod';
import { EXAMPLE_ID, type Route } from '../define-route.js';
import { siteContextSchema } from '../input/parse-site-context.js';
import { isObject, type SchemaWriter } from '../json-schema.js';

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
