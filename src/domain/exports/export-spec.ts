/** What an export writes: checked and resolved when it is accepted, and stored with its job as JSON. */
import { z } from 'zod';
import type { AttributeDefinition } from '../catalog/model/attribute-definition.js';
import { ATTRIBUTE_TYPE_NAMES } from '../catalog/model/attribute-definition.js';
import type { SourceFormat } from '../formats/model/source-format.js';
import { COMMON_OPTIONS } from '../jobs/model/job-type.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { nearestName } from '../kernel/nearest-name.js';

/** The formats of FILE_FORMATS that exports can be written in. */
export const EXPORT_FORMATS = ['CSV', 'JSONL', 'XLSX'] as const satisfies readonly SourceFormat[];

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Facts about an item that cannot be imported: their columns begin with `_`, so that imports ignore them. */
const ITEM_FACTS = ['itemId', 'type', 'status', 'nodeId', 'channels', 'createdOn', 'modifiedOn'] as const;
export type ItemFact = (typeof ITEM_FACTS)[number];

const strings = z.array(z.string()).readonly();

/** ISO 8601 instants, both ends included. */
const timeRange = z.object({ from: z.string().optional(), to: z.string().optional() }).readonly();
export type TimeRange = z.output<typeof timeRange>;

const changes = { createdAt: timeRange.optional(), updatedAt: timeRange.optional() } as const;

const propertyCondition = z
  .object({
    attributeId: z.string(),
    /** The attribute's type when the condition was checked. */
    type: z.enum(ATTRIBUTE_TYPE_NAMES),
    /** Whether values are compared as text, as numbers or as dates (a day includes all its instants). */
    comparison: z.enum(['text', 'number', 'date']),
    test: z.discriminatedUnion('op', [
      z.object({ op: z.enum(['IN', 'NOT_IN']), values: strings }).readonly(),
      z.object({ op: z.literal('CONTAINS'), text: z.string() }).readonly(),
      z.object({ op: z.literal('RANGE'), from: z.string().optional(), to: z.string().optional() }).readonly(),
      z.object({ op: z.literal('EXISTS'), exists: z.boolean() }).readonly(),
    ]),
  })
  .readonly();
/** A condition on one attribute; its values are in the canonical text form of the attribute's type. */
export type PropertyCondition = z.output<typeof propertyCondition>;

const itemMatch = z
  .object({
    /** Row numbers of items as decimal text, because they may exceed what a double represents exactly. */
    rowNos: strings.optional(),
    skus: strings.optional(),
    /** Items, bundles, or both. */
    types: z.array(z.enum(['I', 'B'])).readonly(),
    status: z.enum(['L', 'D']).optional(),
    /** Ids of categories of either tree: items in them and below them match. */
    categoryIds: strings.optional(),
    ...changes,
    properties: z.array(propertyCondition).readonly().optional(),
  })
  .readonly();
/** Selects items among those that the site context can see: those that meet the conditions of all fields present. */
export type ItemMatch = z.output<typeof itemMatch>;

const attributeMatch = z
  .object({ ids: strings.optional(), nameKeys: strings.optional(), types: strings.optional(), ...changes })
  .readonly();
export type AttributeMatch = z.output<typeof attributeMatch>;

const categoryMatch = z
  .object({
    ids: strings.optional(),
    /** Ids of categories: these and all below them match. */
    within: strings.optional(),
    tree: z.enum(['PRIMARY', 'ALTERNATE']).optional(),
    active: z.boolean().optional(),
    ...changes,
  })
  .readonly();
export type CategoryMatch = z.output<typeof categoryMatch>;

const itemColumn = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['sku', 'category', 'parent', 'bundleItems', 'alternates', 'channels']) }).readonly(),
  z.object({ kind: z.literal('attribute'), attributeId: z.string() }).readonly(),
  z.object({ kind: z.literal('fact'), fact: z.enum(ITEM_FACTS) }).readonly(),
]);
/** A column as stored with a job. Attributes are stored by id: the file has their names when it is written. */
export type ItemColumn = z.output<typeof itemColumn>;

const items = z.object({
  entity: z.enum(['product', 'bundle']),
  match: itemMatch,
  /** Null: the columns of the template, which an import reads. */
  columns: z.array(itemColumn).readonly().nullable(),
});
const attributes = z.object({ entity: z.literal('attribute'), match: attributeMatch });
const categories = z.object({ entity: z.literal('category'), match: categoryMatch });

/** Which records are exported, and what is written of each. */
export type ExportContent = Readonly<
  z.output<typeof items> | z.output<typeof attributes> | z.output<typeof categories>
>;

const formatting = z
  .object({
    format: z.enum(EXPORT_FORMATS),
    gzip: z.boolean(),
    /** For CSV only, like the three following fields. */
    delimiter: z.string(),
    decimalSeparator: z.enum(['.', ',']),
    bom: z.boolean(),
    /** Puts an apostrophe before cells that a spreadsheet would read as a formula. */
    escapeFormulas: z.boolean(),
    /** The locale in the file's name; null: none. */
    locale: z.string().nullable(),
  })
  .readonly();
/** How the file is written. */
export type ExportFormatting = z.output<typeof formatting>;

const common = {
  ...COMMON_OPTIONS,
  formatting,
  /** Only records changed up to this instant, ISO 8601; null: all. */
  date: z.string().nullable(),
  /** How many records the request named; null when it did not list them one by one. */
  named: z.int().nullable(),
} as const;

export const exportSpecSchema = z.discriminatedUnion('entity', [
  items.extend(common).readonly(),
  attributes.extend(common).readonly(),
  categories.extend(common).readonly(),
]);
export type ExportSpec = z.output<typeof exportSpecSchema>;

// The columns of an item export: those of the template, or those that a request asks for.

type FixedKind = Exclude<ItemColumn['kind'], 'attribute' | 'fact'>;

/** The headers of the fixed columns. */
export const FIXED_HEADERS: Readonly<Record<FixedKind, string>> = {
  category: 'Category Node',
  sku: 'SKU',
  parent: 'Parent SKU',
  bundleItems: 'Items',
  alternates: 'Alternate Categories',
  channels: 'Channels',
};

const FIXED: ReadonlyMap<string, FixedKind> = new Map([
  ...Object.entries(FIXED_HEADERS).map(([kind, header]) => [attributeKey(header), kind as FixedKind] as const),
  [attributeKey('Hierarchy Node'), 'category'],
  // The names of the fields in JSON.
  [attributeKey('nodeName'), 'category'],
  [attributeKey('parentSku'), 'parent'],
  [attributeKey('bundleItems'), 'bundleItems'],
  [attributeKey('alternateCategories'), 'alternates'],
]);
const FACTS: ReadonlyMap<string, ItemFact> = new Map(ITEM_FACTS.map((fact) => [attributeKey(fact), fact]));

/** Resolves the columns that a request names: template headers, attributes by name or id, facts with or without `_`. */
export function resolveColumns(
  names: readonly string[],
  attributes: readonly AttributeDefinition[],
): ItemColumn[] | { readonly index: number; readonly message: string } {
  const byKey = new Map(attributes.map((attribute) => [attributeKey(attribute.name), attribute]));
  const byId = new Map(attributes.map((attribute) => [attribute.id, attribute]));
  const seen = new Set<string>();
  const columns: ItemColumn[] = [];
  for (const [index, name] of names.entries()) {
    const column = resolveColumn(name, byKey, byId);
    if (column === undefined) return { index, message: unknownColumn(name, attributes) };
    const meaning = JSON.stringify(column);
    if (seen.has(meaning)) return { index, message: `the column "${name}" is named twice: name it once` };
    seen.add(meaning);
    columns.push(column);
  }
  return columns;
}

function resolveColumn(
  name: string,
  byKey: ReadonlyMap<string, AttributeDefinition>,
  byId: ReadonlyMap<string, AttributeDefinition>,
): ItemColumn | undefined {
  const key = attributeKey(name);
  const fixed = FIXED.get(key);
  // No attribute can have the name of a template header. For all other names an attribute takes precedence.
  const attribute = byKey.get(key) ?? byId.get(name);
  if (attribute !== undefined) return { kind: 'attribute', attributeId: attribute.id };
  if (fixed !== undefined) return { kind: fixed };
  const fact = FACTS.get(key.replace(/^_/, ''));
  return fact === undefined ? undefined : { kind: 'fact', fact };
}

function unknownColumn(name: string, attributes: readonly AttributeDefinition[]): string {
  const known = [
    ...Object.values(FIXED_HEADERS),
    ...attributes.map((attribute) => attribute.name),
    ...ITEM_FACTS.map((fact) => `_${fact}`),
  ];
  const nearest = nearestName(name, known, (candidate) => candidate);
  const hint =
    nearest === undefined
      ? `name an attribute, or one of ${known.slice(0, 4).join(', ')}`
      : `did you mean "${nearest}"?`;
  return `there is no column "${name.slice(0, 60)}": ${hint}`;
}
