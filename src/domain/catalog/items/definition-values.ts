/** What differs between a definition before and after its change, one property at a time. */
import type { NamedDefinition } from './named-definitions.js';

export interface PropertyDifference {
  /** Such as `options`, or `validation.required`. */
  readonly property: string;
  /** Undefined: there was nothing. */
  readonly before: unknown;
  /** Undefined: there is nothing. */
  readonly after: unknown;
}

/** What says which definition it is, as its name does. */
const IDENTITY: ReadonlySet<string> = new Set(['id', 'mapping']);
/** What says which assignment it is. */
const IDENTITY_OF_ASSIGNMENT: ReadonlySet<string> = new Set(['nodeId', 'attribute']);

export function definitionValues(
  kind: string,
  { before, after }: Pick<NamedDefinition, 'before' | 'after'>,
): PropertyDifference[] {
  const [old, now] = [propertiesOf(kind, before), propertiesOf(kind, after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((property) => ({ property, before: old.get(property), after: now.get(property) }))
    .filter(({ before: b, after: a }) => JSON.stringify(b) !== JSON.stringify(a));
}

/** Property → value, in the order of the API, also of what is nothing; those of objects in it have the name of that object before theirs. */
function propertiesOf(kind: string, image: NamedDefinition['before']): Map<string, unknown> {
  const properties = new Map<string, unknown>();
  for (const [name, value] of Object.entries(image ?? {})) {
    if (IDENTITY.has(name) || (kind === 'assignment' && IDENTITY_OF_ASSIGNMENT.has(name))) continue;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    const values = isGroup ? Object.entries(value).map(([own, one]) => [`${name}.${own}`, one]) : [[name, value]];
    for (const [own, one] of values) properties.set(String(own), isNothing(one) ? undefined : one);
  }
  return properties;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
