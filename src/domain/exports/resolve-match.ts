/** Resolves the match of a request for storage with its job: names become ids, and values get their canonical form. */
import type { Db } from '../../../db/connection.js';
import { Attribute } from '../../../db/models/attribute.js';
import { AttributeMapping } from '../../../db/models/attribute-mapping.js';
import { Category } from '../../../db/models/category.js';
import type { ItemStatusCode, ItemTypeCode } from '../../../db/models/item.js';
import { definitionFromColumns } from '../catalog/attribute-record.js';
import { type CategoryReference, MAX_NODE_ID } from '../catalog/categories/find-category.js';
import { normalizeSku } from '../catalog/items/item-key.js';
import type { AttributeDefinition, AttributeTypeName } from '../catalog/model/attribute-definition.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError, type ErrorProblem } from '../kernel/errors.js';
import { itemRowNo } from '../kernel/identifier.js';
import { KnownAttributes, unknownAttribute } from './match/known-attributes.js';
import { refuseCrossing, resolveProperty } from './match/resolve-properties.js';
import { type GivenTimes, parseTimes } from './match/time-range.js';
import type { GivenCondition } from './match/value-condition.js';
import type { AttributeMatch, CategoryMatch, ItemMatch } from './model/export-spec.js';

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
  /** A part of the SKU or of the title. */
  readonly q?: string | undefined;
  readonly skuPrefix?: string | undefined;
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
  { id, sku, types, status, categoryId, properties, q, skuPrefix, ...changes }: GivenItemMatch,
  attributes: readonly AttributeDefinition[],
): Promise<ItemMatch> {
  const problems: ErrorProblem[] = [];
  const known = new KnownAttributes(attributes);
  const match: ItemMatch = {
    types,
    status,
    rowNos: id?.flatMap((one) => rowNo(siteId, one)),
    skus: sku?.map(normalizeSku),
    words: q === undefined ? undefined : { text: q, titleId: await titleOf(db, siteId) },
    skuPrefix: skuPrefix === undefined ? undefined : normalizeSku(skuPrefix),
    categoryIds: await resolveCategories(db, siteId, 'match.categoryId', categoryId, problems),
    properties: properties?.flatMap((given, index) => resolveProperty(given, index, known, problems) ?? []),
    ...resolveChanges(changes, problems),
  };
  if (problems.length === 0) refuseCrossing(match.properties ?? [], properties ?? [], problems);
  return orRefused(match, problems);
}

async function titleOf(db: Db, siteId: number): Promise<string | undefined> {
  const title = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'title' });
  return title?.attribute_id;
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

function orRefused<T>(match: T, problems: readonly ErrorProblem[]): T {
  const [first] = problems;
  if (first === undefined) return match;
  const message = `${first.path}: ${first.message}${problems.length > 1 ? `; and ${problems.length - 1} more` : ''}`;
  throw new DomainError('invalid', first.code, message, { problems });
}
