/** What an export writes: checked and resolved when it is accepted, and stored with its job as JSON. */
import { z } from 'zod';
import { ATTRIBUTE_TYPE_NAMES } from '../../catalog/model/attribute-definition.js';
import { COMMON_OPTIONS } from '../../job-model/job-type.js';
import { keptProfile } from '../../profiles/model/kept-profile.js';
import { EXPORT_FORMATS } from './export-format.js';

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Facts about an item that cannot be imported: their columns begin with `_`, so that imports ignore them. */
export const ITEM_FACTS = ['itemId', 'type', 'status', 'nodeId', 'channels', 'createdOn', 'modifiedOn'] as const;
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
    /** A part of the SKU or of the title. */
    words: z
      .object({
        text: z.string(),
        /** The attribute that was shown as title when the export was accepted; left out: there was none. */
        titleId: z.string().optional(),
      })
      .readonly()
      .optional(),
    /** How the SKU begins. */
    skuPrefix: z.string().optional(),
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
  /** What became of the item since: only exports of what has changed have it. */
  z.object({ kind: z.literal('operation') }).readonly(),
  z.object({ kind: z.literal('attribute'), attributeId: z.string() }).readonly(),
  z.object({ kind: z.literal('fact'), fact: z.enum(ITEM_FACTS) }).readonly(),
]);
/** A column as stored with a job. Attributes are stored by id: the file has their names when it is written. */
export type ItemColumn = z.output<typeof itemColumn>;

const exportProfile = keptProfile
  .unwrap()
  .extend({
    /** Of items: what the rules fill, in their order; null: nothing, or an attribute that the site does not have. */
    columns: z.array(itemColumn.nullable()).readonly(),
  })
  .readonly();
/** The profile in whose form an export writes. */
export type ExportProfile = z.output<typeof exportProfile>;

const feedPlace = z.object({ position: z.number(), n: z.number() }).readonly();

const changed = {
  /** Only what has changed after this place in the feed of changes, and what was deleted or left the filter since. */
  since: feedPlace.optional(),
  /** The cursor with which a later export goes on. */
  cursor: z.string().optional(),
} as const;

const items = z.object({
  entity: z.enum(['product', 'bundle']),
  profile: exportProfile.optional(),
  match: itemMatch,
  /** Null: the columns of the template, which an import reads. */
  columns: z.array(itemColumn).readonly().nullable(),
  ...changed,
});
const profiled = { profile: exportProfile.optional() } as const;
const attributes = z.object({ entity: z.literal('attribute'), match: attributeMatch, ...profiled, ...changed });
const categories = z.object({ entity: z.literal('category'), match: categoryMatch, ...profiled, ...changed });

/** The whole stage as one archive. */
const site = z.object({ entity: z.literal('site') });

/** Which records are exported, and what is written of each. */
export type ExportContent = Readonly<
  z.output<typeof items> | z.output<typeof attributes> | z.output<typeof categories> | z.output<typeof site>
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
  /** The id of the published file at whose address the file is found afterwards. */
  publishedFileId: z.string().optional(),
  /** As the API shows what it was asked for; undefined: a feed makes it, or it is too long to be shown. */
  request: z.record(z.string(), z.unknown()).optional(),
} as const;

export const exportSpecSchema = z.discriminatedUnion('entity', [
  items.extend(common).readonly(),
  attributes.extend(common).readonly(),
  categories.extend(common).readonly(),
  site.extend(common).readonly(),
]);
export type ExportSpec = z.output<typeof exportSpecSchema>;
