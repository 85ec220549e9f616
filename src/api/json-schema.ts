/** Writes zod schemas as JSON Schema for one document, and puts shared parts under `components`. */
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface SchemaWriter {
  /** The schema of what a client may send. `name` is used if a schema refers to itself. */
  input(schema: z.ZodType, name: string): JsonSchema;
  /** The schema of what a client receives. */
  output(schema: z.ZodType, name: string): JsonSchema;
  /** Schemas to which others refer, by name. It is filled while schemas are written. */
  readonly components: Record<string, JsonSchema>;
}

/** A writer for one document. */
export function createSchemaWriter(): SchemaWriter {
  const components: Record<string, JsonSchema> = {};

  function write(schema: z.ZodType, io: 'input' | 'output', name: string): JsonSchema {
    const {
      $schema: _,
      $defs,
      ...root
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => leaveOutSafeBounds(jsonSchema),
    }) as JsonSchema;
    const names = new Map(
      Object.keys(isObject($defs) ? $defs : {}).map((def) => [`#/$defs/${def}`, componentName(name, def)]),
    );
    names.set('#', name);
    for (const [def, content] of Object.entries(isObject($defs) ? $defs : {})) {
      components[componentName(name, def)] = pointed(content, names) as JsonSchema;
    }
    const written = pointed(root, names) as JsonSchema;
    if (!JSON.stringify(root).includes('"$ref":"#"')) return written;
    components[name] = written;
    return { $ref: `#/components/schemas/${name}` };
  }

  return {
    components,
    input: (schema, name) => write(schema, 'input', name),
    output: (schema, name) => write(schema, 'output', name),
  };
}

/** Removes the bounds of safe integers: they say nothing, and documentation would show them as examples. */
export function leaveOutSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Adds the owner to generated names such as __schema0, which are the same in every schema. */
function componentName(owner: string, def: string): string {
  return `${owner}_${def.replace(/[^A-Za-z0-9._-]/g, '')}`;
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
