/** Gives the changes of the change log the names by which people know what changed: those of the present definitions. */
import type { Db } from '../../../../db/connection.js';
import type { ChangeEntry } from '../../changes/change-entry.js';
import { type Difference, type Differences, FIELD } from '../../changes/model/item-change.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeTypeName } from '../model/attribute-definition.js';
import { FIELD_NAMES } from './changed-names.js';
import { attributesNamedBy, definitionNames, type NamedDefinition, nameDefinition } from './named-definitions.js';

interface NamedDifference {
  /** Absent: there was none. */
  readonly before?: unknown;
  /** Absent: there is none. */
  readonly after?: unknown;
}

export interface NamedChange {
  readonly entry: ChangeEntry;
  /** Name of an attribute → what differs. An attribute that was deleted since is named by its id. */
  readonly attributes: Readonly<Record<string, NamedDifference>>;
  /** What differs besides values, by the names that items have in the API. */
  readonly fields: Readonly<Record<string, NamedDifference>>;
  /** Null for an item. */
  readonly definition: NamedDefinition | null;
}

/** What people call a key of the log, and how they see its values. */
export interface ShownKey {
  readonly kind: 'attribute' | 'field';
  readonly name: string;
  readonly shown: (value: unknown) => unknown;
}

/**
 * @param nodeIds ids of alternate categories → their node ids
 * @returns key → what it is called: attributes in the order of their positions, then fields
 */
export async function shownKeys(
  db: Db,
  siteId: number,
  keys: Iterable<string>,
  nodeIds: ReadonlyMap<string, number> = new Map(),
): Promise<ReadonlyMap<string, ShownKey>> {
  const all = [...new Set(keys)];
  const ids = all.filter((key) => FIELD_NAMES[key] === undefined);
  const rows: { id: string; name: string; type: string }[] =
    ids.length === 0
      ? []
      : await db('attribute')
          .where({ site_id: siteId })
          .whereRaw('id = ANY (?)', [ids])
          .orderBy(['position', 'id'])
          .select('id', 'name', 'type');
  const known = new Map(rows.map((row) => [row.id, row]));
  const gone = ids.filter((id) => !known.has(id));
  const fields = Object.keys(FIELD_NAMES).filter((field) => all.includes(field));
  const shown = new Map<string, ShownKey>();
  for (const key of [...known.keys(), ...gone]) {
    const { name = key, type } = known.get(key) ?? {};
    const quoted = type !== undefined && isQuoted(type);
    shown.set(key, { kind: 'attribute', name, shown: (value) => (quoted ? String(value) : value) });
  }
  for (const key of fields) {
    const name = FIELD_NAMES[key] ?? key;
    shown.set(key, { kind: 'field', name, shown: (value) => shownField(key, value, nodeIds) });
  }
  return shown;
}

/** The number of queries is constant. */
export async function nameChanges(db: Db, siteId: number, entries: readonly ChangeEntry[]): Promise<NamedChange[]> {
  const nodeIds = await alternateNodes(db, siteId, entries);
  const keys = new Set(attributesNamedBy(entries));
  for (const { changed } of entries) for (const key of Object.keys(changed)) keys.add(key);
  const shown = await shownKeys(db, siteId, keys, nodeIds);
  // A key that is its own name is that of an attribute that was deleted.
  const known = new Map([...shown].flatMap(([key, { name }]) => (name === key ? [] : [[key, name] as const])));
  const names = await definitionNames(db, siteId, entries, known);
  const order = new Map([...shown.keys()].map((key, nth) => [key, nth]));
  return entries.map((entry) => ({
    ...namedDifferences(entry.changed, shown, order),
    entry,
    definition: nameDefinition(entry, names),
  }));
}

/** A feed has thousands of them in each answer. */
function namedDifferences(
  changed: Differences,
  shown: ReadonlyMap<string, ShownKey>,
  order: ReadonlyMap<string, number>,
): Pick<NamedChange, 'attributes' | 'fields'> {
  const sorted = Object.keys(changed).sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
  const attributes: Record<string, NamedDifference> = {};
  const fields: Record<string, NamedDifference> = {};
  for (const key of sorted) {
    const [difference, known] = [changed[key], shown.get(key)];
    if (difference === undefined || known === undefined) continue;
    add(known.kind === 'attribute' ? attributes : fields, known.name, named(difference, known.shown));
  }
  return { attributes, fields };
}

/** A name may be __proto__, which an assignment would not add. */
function add(to: Record<string, NamedDifference>, name: string, value: NamedDifference): void {
  if (name === '__proto__') Object.defineProperty(to, name, { value, enumerable: true });
  else to[name] = value;
}

function named({ b, a }: Difference, shown: (value: unknown) => unknown): NamedDifference {
  if (b === undefined) return a === undefined ? {} : { after: shown(a) };
  return a === undefined ? { before: shown(b) } : { before: shown(b), after: shown(a) };
}

function isQuoted(type: string): boolean {
  return ATTRIBUTE_TYPES[type as AttributeTypeName].jsonForm === 'quoted';
}

function shownField(field: string, value: unknown, nodeIds: ReadonlyMap<string, number>): unknown {
  if (field === FIELD.status) return value === 'L' ? 'LIVE' : 'DRAFT';
  // As items have it.
  if (field === FIELD.createdAt) return new Date(String(value)).toISOString();
  if (field === FIELD.type) return value === 'B' ? 'BUNDLE' : 'ITEM';
  if (field === FIELD.alternates && Array.isArray(value)) return value.map((id) => nodeIds.get(String(id)) ?? id);
  return value;
}

/** Ids of alternate categories → their node ids. */
async function alternateNodes(
  db: Db,
  siteId: number,
  entries: readonly ChangeEntry[],
): Promise<ReadonlyMap<string, number>> {
  const ids = new Set<string>();
  for (const { changed } of entries) {
    const { b, a } = changed[FIELD.alternates] ?? {};
    for (const side of [b, a]) if (Array.isArray(side)) for (const id of side) ids.add(String(id));
  }
  if (ids.size === 0) return new Map();
  const rows: { id: string; node_id: number }[] = await db('category')
    .where({ site_id: siteId })
    .whereRaw('id = ANY (?)', [[...ids]])
    .select('id', 'node_id');
  return new Map(rows.map(({ id, node_id: nodeId }) => [id, nodeId]));
}
