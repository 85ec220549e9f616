/** What a change of an item or a definition is called, and the values that differ. */
import type { schemas } from '@longshore/client';
import { count } from '../terminal.js';

type Change = schemas.Change;
type Image = Readonly<Record<string, unknown>>;

interface ChangedValue {
  readonly name: string;
  /** Empty: there was none. */
  readonly before: string;
  /** Empty: there is none. */
  readonly after: string;
}

/** What was changed: an item by its SKU, a definition by its kind and name, and so is what is around the catalog. */
export function nameOfChange({ kind, sku, definition }: Change): string {
  if (definition === null) return sku ?? '';
  if (kind === 'settings') return kind;
  return kind === 'assignment' ? `assignment of ${definition.name}` : `${KINDS[kind] ?? kind} ${definition.name}`;
}

/** Kinds that people call otherwise. */
const KINDS: Readonly<Record<string, string>> = { profile: 'import profile' };

/** The values of an item that differ, or the properties of a definition. */
export function valuesOfChange({ kind, attributes, fields, definition }: Change): ChangedValue[] {
  const values = [...Object.entries(attributes), ...Object.entries(fields)].map(([name, { before, after }]) => ({
    name,
    before: shown(before),
    after: shown(after),
  }));
  return definition === null ? values : [...values, ...propertiesOf(kind, definition)];
}

/** What its name says already. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  attribute: ['id'],
  assignment: ['nodeId', 'attribute'],
  mapping: ['mapping'],
};

function propertiesOf(kind: string, { before, after }: NonNullable<Change['definition']>): ChangedValue[] {
  const isBoth = before !== null && after !== null;
  const [old, now] = [flat(before ?? {}, isBoth), flat(after ?? {}, isBoth)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const value = { name, before: shown(old.get(name)), after: shown(now.get(name)) };
    return NAMED[kind]?.includes(name) || value.before === value.after ? [] : [value];
  });
}

/** Objects in it have a line for each of their members. @param withFalse whether what is false counts as something */
function flat(image: Image, withFalse: boolean): Map<string, unknown> {
  const properties = new Map<string, unknown>();
  for (const [name, value] of Object.entries(image)) {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    const values: [string, unknown][] = isGroup
      ? Object.entries(value).map(([own, one]) => [`${name}.${own}`, one])
      : [[name, value]];
    for (const [own, one] of values) {
      const isNothing = (one === false && !withFalse) || (Array.isArray(one) && one.length === 0);
      if (!isNothing) properties.set(own, one);
    }
  }
  return properties;
}

/** How many definitions and items a job has changed, and which of their attributes. */
export function summaryLines({ definitions, operations, attributes, fields }: schemas.ChangeSummary): string[] {
  const { CREATED = 0, UPDATED = 0, DELETED = 0, STATUS = 0 } = operations;
  const ofDefinitions = definitions.map(
    ({ kind, created, updated, deleted }) => `${PLURALS[kind]}: ${numbers(created, updated, deleted)}`,
  );
  if (CREATED + UPDATED + DELETED + STATUS === 0) {
    return ofDefinitions.length === 0 ? ['The job changed nothing.'] : ofDefinitions;
  }
  const status = STATUS === 0 ? '' : `, ${count(STATUS)} with another status that follows`;
  const items = `${ofDefinitions.length === 0 ? '' : 'items: '}${numbers(CREATED, UPDATED, DELETED)}${status}`;
  const keys = [...attributes, ...fields].map(({ name, changed, cleared, numbers }) => {
    const far = numbers?.byMoreThan50Percent ?? 0;
    const notes = [
      ...(cleared === 0 ? [] : [`${count(cleared)} cleared`]),
      ...(far === 0 ? [] : [`${count(far)} by more than 50 %`]),
    ];
    return `  ${name}: ${count(changed)} changed${notes.length === 0 ? '' : `, ${notes.join(', ')}`}`;
  });
  return [...ofDefinitions, items, ...keys];
}

const PLURALS = {
  attribute: 'attributes',
  category: 'categories',
  assignment: 'assignments',
  mapping: 'mappings',
  profile: 'import profiles',
  settings: 'settings',
  webhook: 'webhooks',
} as const;

function numbers(created: number, updated: number, deleted: number): string {
  return `${count(created)} created, ${count(updated)} updated, ${count(deleted)} deleted`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
