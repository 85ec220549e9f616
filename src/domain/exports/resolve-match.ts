/** Resolves the match of a request for storage with its job: names become ids, and values get their canonical form. */
import type { Db } from '../../../db/connection.js';
import { Attribute } from '../../../db/models/attribute.js';
import { Category } from '../../../db/models/category.js';
import type { ItemStatusCode, ItemTypeCode } from '../../../db/models/item.js';
import { definitionFromColumns } from '../catalog/attribute-record.js';
import { ATTRIBUTE_TYPES } from '../catalog/attribute-types.js';
import { type CategoryReference, MAX_NODE_ID } from '../catalog/categories/find-category.js';
import { compileAttribute } from '../catalog/compile-attribute.js';
import { normalizeSku } from '../catalog/items/item-key.js';
import type { AttributeDefinition, AttributeTypeName } from '../catalog/model/attribute-definition.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError, type ErrorProblem } from '../kernel/errors.js';
import { itemRowNo } from '../kernel/identifier.js';
import { canonicalIso } from '../kernel/iso-date.js';
import { NameHints } from '../kernel/nearest-name.js';
import { areReversed, boundOfDay, reversedMessage } from '../kernel/reversed-bounds.js';
import type { FilterOperator } from '../kernel/value-filter.js';
import type { AttributeMatch, CategoryMatch, ItemMatch, PropertyCondition, TimeRange } from './export-spec.js';

interface GivenChanges {
  readonly createdAt?: GivenTimes | undefined;
  readonly updatedAt?: GivenTimes | undefined;
}

export interface GivenItemMatch extends GivenChanges {
  readonly id?: readonly string[] | undefined;
  readonly sku?: readonly string[] | undefined;
  readonly types: readonly ItemTypeCode[];
  readonly status?: ItemStatusCode | undefined;
  readonly categoryId?: readonly CategoryReference[] | undefined;
  readonly properties?:
    | readonly (GivenCondition & { attributeId?: string | undefined; name?: string | undefined })[]
    | undefined;
}

interface GivenAttributeMatch extends GivenChanges {
  readonly id?: readonly string[] | undefined;
  readonly name?: readonly string[] | undefined;
  readonly type?: readonly AttributeTypeName[] | undefined;
}

interface GivenCategoryMatch extends GivenChanges {
  readonly id?: readonly CategoryReference[] | undefined;
  readonly categoryId?: readonly CategoryReference[] | undefined;
  readonly tree?: 'PRIMARY' | 'ALTERNATE' | undefined;
  readonly active?: boolean | undefined;
}

/** The largest `bigint` of Postgres. */
const MAX_ROW_NO = 2n ** 63n - 1n;

/** @throws DomainError invalid, with one problem for each wrong field */
export async function resolveItemMatch(
  db: Db,
  siteId: number,
  { id, sku, types, status, categoryId, properties, ...changes }: GivenItemMatch,
  attributes: readonly AttributeDefinition[],
): Promise<ItemMatch> {
  const problems: ErrorProblem[] = [];
  const known = new KnownAttributes(attributes);
  const match: ItemMatch = {
    types,
    status,
    rowNos: id?.flatMap((one) => rowNo(siteId, one)),
    skus: sku?.map(normalizeSku),
    categoryIds: await resolveCategories(db, siteId, 'match.categoryId', categoryId, problems),
    properties: properties?.flatMap((given, index) => resolveProperty(given, index, known, problems) ?? []),
    ...resolveChanges(changes, problems),
  };
  if (problems.length === 0) refuseCrossing(match.properties ?? [], properties ?? [], problems);
  return orRefused(match, problems);
}

/** @throws DomainError invalid, with one problem for each wrong field */
export function resolveAttributeMatch(
  { id, name, type, ...changes }: GivenAttributeMatch,
  attributes: readonly AttributeDefinition[],
): AttributeMatch {
  const problems: ErrorProblem[] = [];
  const known = new KnownAttributes(attributes);
  for (const [index, one] of (name ?? []).entries()) {
    if (known.byName(one) === undefined) problems.push(unknownAttribute(`match.name.${index}`, one, known.hints));
  }
  const match = { ids: id, nameKeys: name?.map(attributeKey), types: type, ...resolveChanges(changes, problems) };
  return orRefused(match, problems);
}

/** @throws DomainError invalid, with one problem for each wrong field */
export async function resolveCategoryMatch(
  db: Db,
  siteId: number,
  { id, categoryId, tree, active, ...changes }: GivenCategoryMatch,
): Promise<CategoryMatch> {
  const problems: ErrorProblem[] = [];
  const match = {
    ids: await resolveCategories(db, siteId, 'match.id', id, problems),
    within: await resolveCategories(db, siteId, 'match.categoryId', categoryId, problems),
    tree,
    active,
    ...resolveChanges(changes, problems),
  };
  return orRefused(match, problems);
}

/** Loads all attributes of a site, in the order of their positions. */
export async function loadAttributes(db: Db, siteId: number): Promise<AttributeDefinition[]> {
  const rows = await Attribute.query(db).where({ site_id: siteId }).orderBy(['position', 'id']);
  return rows.map(definitionFromColumns);
}

/** Ids of other sites, and texts that are not ids, match nothing. */
function rowNo(siteId: number, id: string): string[] {
  const number = itemRowNo(siteId, id);
  return number === null || number > MAX_ROW_NO ? [] : [number.toString()];
}

function resolveChanges({ createdAt, updatedAt }: GivenChanges, problems: ErrorProblem[]) {
  const resolve = (field: string, given: GivenTimes | undefined) => {
    if (given === undefined) return undefined;
    const range = parseTimes(given);
    if (!('message' in range)) return range;
    problems.push({ path: `match.${field}.${range.field}`, code: 'VALUE_INVALID', message: range.message });
    return undefined;
  };
  return { createdAt: resolve('createdAt', createdAt), updatedAt: resolve('updatedAt', updatedAt) };
}

async function resolveCategories(
  db: Db,
  siteId: number,
  path: string,
  references: readonly CategoryReference[] | undefined,
  problems: ErrorProblem[],
): Promise<string[] | undefined> {
  if (references === undefined) return undefined;
  const ids = references.flatMap((one) => ('id' in one ? [one.id] : []));
  const nodeIds = references.flatMap((one) => ('nodeId' in one && one.nodeId <= MAX_NODE_ID ? [one.nodeId] : []));
  const found = await Category.query(db)
    .where({ site_id: siteId })
    .where((any) => any.whereIn('id', ids).orWhereIn('node_id', nodeIds))
    .select('id', 'node_id');
  return references.flatMap((reference, index) => {
    const category = found.find((one) =>
      'id' in reference ? one.id === reference.id : one.node_id === reference.nodeId,
    );
    if (category !== undefined) return [category.id];
    const named = 'id' in reference ? `id ${reference.id}` : `node id ${reference.nodeId}`;
    problems.push({ path: `${path}.${index}`, code: 'NODE_NOT_FOUND', message: `there is no category with ${named}` });
    return [];
  });
}

/** The attributes of a site, which may be thousands, indexed once for all conditions of a request. */
class KnownAttributes {
  readonly hints: NameHints<AttributeDefinition>;
  readonly #byId = new Map<string, AttributeDefinition>();
  #byKey: ReadonlyMap<string, AttributeDefinition> | undefined;

  constructor(readonly all: readonly AttributeDefinition[]) {
    this.hints = new NameHints(
      () => all,
      ({ name }) => name,
    );
    for (const attribute of all) this.#byId.set(attribute.id, attribute);
  }

  byId(id: string): AttributeDefinition | undefined {
    return this.#byId.get(id);
  }

  byName(name: string): AttributeDefinition | undefined {
    this.#byKey ??= new Map(this.all.map((attribute) => [attributeKey(attribute.name), attribute]));
    return this.#byKey.get(attributeKey(name));
  }
}

function resolveProperty(
  given: GivenCondition & { attributeId?: string | undefined; name?: string | undefined },
  index: number,
  attributes: KnownAttributes,
  problems: ErrorProblem[],
): PropertyCondition | undefined {
  const path = `match.properties.${index}`;
  const { attributeId, name = '' } = given;
  const attribute = attributeId === undefined ? attributes.byName(name) : attributes.byId(attributeId);
  if (attribute === undefined) {
    const named = attributeId === undefined ? 'name' : 'attributeId';
    problems.push(unknownAttribute(`${path}.${named}`, attributeId ?? name, attributes.hints));
    return undefined;
  }
  const condition = parseCondition(attribute, given);
  if (!('message' in condition)) return condition;
  problems.push({ path: `${path}.${condition.field}`, code: 'VALUE_INVALID', message: condition.message });
  return undefined;
}

/** Finds conditions on one attribute, such as GTE 5 and LTE 3, that no value meets. Each condition is one of `given`. */
function refuseCrossing(
  conditions: readonly PropertyCondition[],
  given: readonly GivenCondition[],
  problems: ErrorProblem[],
): void {
  for (const [index, lower] of conditions.entries()) {
    const { from } = boundsOf(lower);
    const upper = conditions.findIndex((other) => {
      const { to } = boundsOf(other);
      const isSame = other.attributeId === lower.attributeId;
      return isSame && from !== undefined && to !== undefined && areReversed(lower.comparison, from, to);
    });
    const [at, other] = [given[index], given[upper]];
    if (from === undefined || at === undefined || other === undefined) continue;
    const named = `match.properties.${upper}.${other.op === 'RANGE' ? 'toValue' : 'value'}`;
    const message = reversedMessage(from, upper === index ? 'toValue' : named, String(other.toValue ?? other.value));
    const field = at.op === 'RANGE' ? 'fromValue' : 'value';
    problems.push({ path: `match.properties.${index}.${field}`, code: 'VALUE_INVALID', message });
  }
}

function boundsOf({ test }: PropertyCondition): {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
} {
  return test.op === 'RANGE' ? test : {};
}

function unknownAttribute(path: string, named: string, hints: NameHints<AttributeDefinition>): ErrorProblem {
  const nearest = hints.nearest(named);
  const hint =
    nearest === undefined ? 'GET /api-product/v1/product/attribute lists them' : `did you mean "${nearest.name}"?`;
  return { path, code: 'ATTRIBUTE_NOT_FOUND', message: `there is no attribute "${named.slice(0, 60)}": ${hint}` };
}

function orRefused<T>(match: T, problems: readonly ErrorProblem[]): T {
  const [first] = problems;
  if (first === undefined) return match;
  const message = `${first.path}: ${first.message}${problems.length > 1 ? `; and ${problems.length - 1} more` : ''}`;
  throw new DomainError('invalid', first.code, message, { problems });
}

// Time ranges.

/** A time range as a request gives it. Without `op` it is a RANGE. A day as the end includes the entire day. */
interface GivenTimes {
  readonly op?: 'RANGE' | 'GTE' | 'LTE' | undefined;
  readonly value?: string | undefined;
  readonly fromValue?: string | undefined;
  readonly toValue?: string | undefined;
}

interface TimesFault {
  readonly field: 'value' | 'fromValue' | 'toValue';
  readonly message: string;
}

function parseTimes({ op = 'RANGE', value, fromValue, toValue }: GivenTimes): TimeRange | TimesFault {
  if (op === 'RANGE') {
    if (value !== undefined)
      return { field: 'value', message: 'RANGE accepts "fromValue" and "toValue", or one of them' };
    return rangeOf({ field: 'fromValue', given: fromValue }, { field: 'toValue', given: toValue });
  }
  if (fromValue !== undefined) return { field: 'fromValue', message: `${op} accepts "value" only` };
  if (toValue !== undefined) return { field: 'toValue', message: `${op} accepts "value" only` };
  const end = { field: 'value', given: value } as const;
  return op === 'GTE' ? rangeOf(end, undefined) : rangeOf(undefined, end);
}

interface GivenEnd {
  readonly field: TimesFault['field'];
  readonly given: string | undefined;
}

function rangeOf(from: GivenEnd | undefined, to: GivenEnd | undefined): TimeRange | TimesFault {
  const range: { from?: string; to?: string } = {};
  for (const [end, one] of [['from', from] as const, ['to', to] as const]) {
    if (one?.given === undefined) continue;
    const canonical = canonicalIso(one.given.trim());
    if (typeof canonical !== 'string') {
      return { field: one.field, message: 'expected ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00Z' };
    }
    range[end] = boundOfDay(canonical, end);
  }
  if (range.from === undefined && range.to === undefined) {
    return { field: (from ?? to)?.field ?? 'value', message: 'is missing' };
  }
  if (range.from !== undefined && range.to !== undefined && areReversed('date', range.from, range.to)) {
    return { field: 'fromValue', message: reversedMessage(from?.given ?? '', 'toValue', to?.given ?? '') };
  }
  return range;
}

// Parses a condition on the value of one attribute, and checks it against the attribute's type.

/** A condition as a request gives it, with its shape checked. */
interface GivenCondition {
  readonly op: FilterOperator;
  readonly value?: unknown;
  readonly fromValue?: unknown;
  readonly toValue?: unknown;
}

/** The problem of a condition: its field, and a message that says what to do. */
interface ConditionFault {
  readonly field: 'op' | 'value' | 'fromValue' | 'toValue';
  readonly message: string;
}

const MAX_LISTED_VALUES = 1000;

/** Checks a condition against its attribute. */
function parseCondition(attribute: AttributeDefinition, given: GivenCondition): PropertyCondition | ConditionFault {
  const { op } = given;
  const { operators, comparison } = ATTRIBUTE_TYPES[attribute.type].filter(attribute);
  if (!operators.includes(op)) {
    const message = `${op} does not apply to "${attribute.name}", which is ${attribute.type}: use ${operators.join(', ')}`;
    return { field: 'op', message };
  }
  const foreign = foreignField(given);
  if (foreign !== undefined) return foreign;
  const test = testOf(attribute, given);
  if ('message' in test) return test;
  return { attributeId: attribute.id, type: attribute.type, comparison, test };
}

/** Finds a field that the operator does not use: ignoring it would silently drop a condition. */
function foreignField({ op, value, fromValue, toValue }: GivenCondition): ConditionFault | undefined {
  if (op === 'RANGE') {
    if (value === undefined) return undefined;
    return { field: 'value', message: 'RANGE accepts "fromValue" and "toValue", or one of them' };
  }
  if (fromValue === undefined && toValue === undefined) return undefined;
  return { field: fromValue === undefined ? 'toValue' : 'fromValue', message: `${op} accepts "value" only` };
}

function testOf(attribute: AttributeDefinition, given: GivenCondition): PropertyCondition['test'] | ConditionFault {
  const { op, value } = given;
  switch (op) {
    case 'EXISTS':
      if (value !== undefined && typeof value !== 'boolean') return wrong('value', 'expected true, false, or nothing');
      return { op, exists: value ?? true };
    case 'CONTAINS':
      if (typeof value !== 'string' || value === '') return wrong('value', 'expected a text that is not empty');
      return { op, text: value };
    case 'EQUALS':
      return listed(attribute, 'IN', [value]);
    case 'IN':
    case 'NOT_IN':
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_LISTED_VALUES) {
        return wrong('value', `expected a list of 1 to ${MAX_LISTED_VALUES} values`);
      }
      return listed(attribute, op, value);
    case 'GTE':
      return ranged(attribute, value, undefined, 'value');
    case 'LTE':
      return ranged(attribute, undefined, value, 'value');
    case 'RANGE':
      return ranged(attribute, given.fromValue, given.toValue);
  }
}

function listed(
  attribute: AttributeDefinition,
  op: 'IN' | 'NOT_IN',
  given: readonly unknown[],
): PropertyCondition['test'] | ConditionFault {
  const values: string[] = [];
  for (const value of given) {
    const canonical = canonicalValue(attribute, value);
    if (typeof canonical !== 'string') return wrong('value', canonical.message);
    values.push(canonical);
  }
  return { op, values };
}

/** @param named the field that a single end is given in */
function ranged(
  attribute: AttributeDefinition,
  from: unknown,
  to: unknown,
  named?: 'value',
): PropertyCondition['test'] | ConditionFault {
  if (from === undefined && to === undefined) {
    return wrong(named ?? 'fromValue', named === undefined ? 'expected "fromValue", "toValue" or both' : 'is missing');
  }
  const ends: { from?: string; to?: string } = {};
  for (const [end, given] of [['from', from] as const, ['to', to] as const]) {
    if (given === undefined) continue;
    const canonical = canonicalValue(attribute, given);
    if (typeof canonical !== 'string') return wrong(named ?? `${end}Value`, canonical.message);
    ends[end] = canonical;
  }
  return { op: 'RANGE', ...ends };
}

/** The value in the canonical form of the attribute's type; the attribute's validation does not apply. */
function canonicalValue(attribute: AttributeDefinition, value: unknown): string | { readonly message: string } {
  if (value === undefined || value === null || value === '') {
    return { message: 'is missing; to find items without a value, use EXISTS with "value": false' };
  }
  const plain = compileAttribute({ ...attribute, validation: {} }, { decimalSeparator: '.' });
  const json = plain.fromJson(value);
  return typeof json === 'string' ? String(JSON.parse(json)) : { message: json.message };
}

function wrong(field: ConditionFault['field'], message: string): ConditionFault {
  return { field, message };
}
