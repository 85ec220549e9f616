/** Writes zod schemas as JSON Schema for one document, and puts shared parts under `components`. */
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface SchemaWriter {
  /** The schema of what a client may send. `name` is used if a schema refers to itself. */
  input(schema: z.ZodType, name: string): JsonSchema;
  /** The schema of what a client receives. */
  output(schema: z.ZodType, name: string): JsonSchema;
  /** As `input`, but objects are put under `components` and referred to: by their own id, or by this name. */
  namedInput(schema: z.ZodType, name: string): JsonSchema;
  /** As `namedInput`, for what a client receives. */
  namedOutput(schema: z.ZodType, name: string): JsonSchema;
  /** Schemas to which others refer, by name. It is filled while schemas are written. */
  readonly components: Record<string, JsonSchema>;
}

/** A writer for one document. */
export function createSchemaWriter(): SchemaWriter {
  const components: Record<string, JsonSchema> = {};

  /** @throws Error when the name stands for another schema already: generated clients would show one of them only */
  function define(name: string, content: JsonSchema): JsonSchema {
    const known = components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(content)) {
      throw new Error(`two schemas have the name ${name}: give one of them another id (or one to what it contains)`);
    }
    components[name] = content;
    return { $ref: `#/components/schemas/${name}` };
  }

  function write(schema: z.ZodType, io: 'input' | 'output', name: string, isNamed: boolean): JsonSchema {
    const {
      $schema: _,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => leaveOutSafeBounds(jsonSchema),
    }) as JsonSchema;
    const defs = Object.entries($defs as Record<string, JsonSchema>);
    const names = new Map(defs.map(([def]) => [`#/$defs/${def}`, componentName(name, def)]));
    names.set('#', name);
    for (const [def, content] of defs) define(componentName(name, def), pointed(content, names) as JsonSchema);
    const written = pointed(root, names) as JsonSchema;
    const refersToItself = JSON.stringify(root).includes('"$ref":"#"');
    return refersToItself || (isNamed && isObjectSchema(written)) ? define(name, written) : written;
  }

  return {
    components,
    input: (schema, name) => write(schema, 'input', name, false),
    output: (schema, name) => write(schema, 'output', name, false),
    namedInput: (schema, name) => write(schema, 'input', name, true),
    namedOutput: (schema, name) => write(schema, 'output', name, true),
  };
}

function isObjectSchema({ type, anyOf, oneOf, allOf }: JsonSchema): boolean {
  return type === 'object' || (anyOf ?? oneOf ?? allOf) !== undefined;
}

/** Removes the bounds of safe integers: they say nothing, and documentation would show them as examples. */
export function leaveOutSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** A schema's own id; to generated names such as __schema0, which are the same in every schema, the owner is added. */
function componentName(owner: string, def: string): string {
  return def.startsWith('__') ? `${owner}_${def.slice(2)}` : def;
}

/** A copy whose references point to the document's components. */
function pointed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((element) => pointed(element, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => {
      const target = key === '$ref' && typeof child === 'string' ? names.get(child) : undefined;
      return [key, target === undefined ? pointed(child, names) : `#/components/schemas/${target}`];
    }),
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
