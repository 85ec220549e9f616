/** All fields, query parameters and form fields that routes accept, read from the JSON Schema of their requests. */
import { z } from 'zod';
import type { Route } from '../../../src/api/define-route.js';
import { isObject } from '../../../src/api/json-schema.js';

type Path = readonly (string | number)[];

export interface Member {
  /** Where the object is that has the member; a list on the way is entered at its first element. */
  readonly parent: Path;
  readonly name: string;
  /** The names of all members of that object. */
  readonly siblings: readonly string[];
}

export interface RequestPart {
  readonly part: 'body' | 'form' | 'query' | 'x-site-context';
  readonly schema: z.ZodType;
  readonly members: readonly Member[];
  /** The objects that accept members which they do not declare. */
  readonly open: readonly string[];
}

/** The parts of a route's requests that its schemas check. The elements of bulk requests are checked as rows. */
export function partsOf(route: Route): RequestPart[] {
  const parts: RequestPart[] = [];
  if (route.query !== undefined) parts.push(partOf('query', route.query));
  if (route.body !== undefined && 'schema' in route.body) parts.push(partOf('body', route.body.schema));
  if (route.body !== undefined && 'form' in route.body) parts.push(partOf('form', route.body.form));
  return parts;
}

export function partOf(part: RequestPart['part'], schema: z.ZodType): RequestPart {
  const members: Member[] = [];
  const open: string[] = [];
  walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), []);
  return { part, schema, members, open };

  function walk(node: unknown, path: Path): void {
    if (!isObject(node)) return;
    for (const choices of [node.anyOf, node.oneOf, node.allOf]) {
      if (Array.isArray(choices)) for (const choice of choices) walk(choice, path);
    }
    if (node.items !== undefined) walk(node.items, [...path, 0]);
    if (!isObject(node.properties)) return;
    if (node.additionalProperties !== false) open.push(path.join('.') || '(root)');
    const siblings = Object.keys(node.properties);
    for (const [name, child] of Object.entries(node.properties)) {
      members.push({ parent: path, name, siblings });
      walk(child, [...path, name]);
    }
  }
}

/** A value that has `inner` at the path. */
export function around(path: Path, inner: unknown): unknown {
  return path.reduceRight((value, key) => (typeof key === 'number' ? [value] : { [key]: value }), inner);
}

/** Names that a person might type instead of this one, none of which the object has. */
export function misspellings({ name, siblings }: Member): string[] {
  const capital = name.charAt(0) === name.charAt(0).toUpperCase() ? name.toLowerCase() : capitalized(name);
  const doubled = name + name.slice(-1);
  const dropped = name.length > 3 ? [name.slice(0, 1) + name.slice(2)] : [];
  return [capital, doubled, ...dropped].filter((one) => !siblings.includes(one));
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What validators say by themselves, in words that are not ours. */
export const VALIDATOR_TEXT =
  /\breceived\b|Invalid|Too (?:big|small)|Unrecognized|[Ee]xpected (?:string|number|boolean|array|object|undefined|int|record|null|date)\b/;
