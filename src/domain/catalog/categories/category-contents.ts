/** Changes which attributes and which items a category has. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryAttribute } from '../../../../db/models/category-attribute.js';
import { withRetries } from '../../../../db/with-retries.js';
import type { SiteContext } from '../../access/site-context.js';
import type { ErrorProblem } from '../../kernel/errors.js';
import { DomainError } from '../../kernel/errors.js';
import type { AttributeReference } from '../attributes/read-attributes.js';
import { describeAttribute, findAttributes } from '../attributes/read-attributes.js';
import { bumpDefinitions } from '../definitions-version.js';
import { normalizeSku } from '../items/item-key.js';
import { visibleItems } from '../items/visible-items.js';
import { scheduleStatusJob } from '../status-job.js';
import type { CategoryReference } from './find-category.js';
import { requireCategory } from './find-category.js';
import type { CategoryDetail } from './read-categories.js';
import { loadCategoryDetails } from './read-categories.js';

// Assigns attributes to a category of the primary tree, or removes them; the categories below it inherit them.

interface ItemAttributeChange {
  readonly action: 'SET' | 'UNSET';
  readonly attribute: AttributeReference;
  /**
   * SET: items of the category stay DRAFT without a value. Undefined keeps the setting, or sets false for a new one.
   */
  readonly mandatory?: boolean | undefined;
}

interface ResolvedChange {
  readonly action: 'SET' | 'UNSET';
  readonly attributeId: string;
  readonly mandatory?: boolean | undefined;
}

/**
 * Makes all changes or none, and returns the category with its attributes after the changes.
 * @throws DomainError invalid: NODE_NOT_FOUND, NODE_NOT_PRIMARY, or one problem for each wrong change
 *   (ATTRIBUTE_NOT_FOUND, ATTRIBUTE_NAMED_TWICE, ATTRIBUTE_INHERITED for an UNSET of an attribute that a category above
 *   has)
 */
export async function setItemAttributes(
  db: Db,
  siteId: number,
  reference: CategoryReference,
  changes: readonly ItemAttributeChange[],
): Promise<{ detail: CategoryDetail; warnings: ErrorProblem[] }> {
  return db.transaction(async (trx) => {
    await bumpDefinitions(trx, siteId);
    const category = await requireCategory(trx, siteId, reference);
    if (category.tree !== 'PRIMARY') {
      const message = `Category "${category.name}" belongs to an alternate tree: attributes are assigned to categories of the primary tree.`;
      throw new DomainError('invalid', 'NODE_NOT_PRIMARY', message);
    }
    const before = await loadCategoryDetail(trx, category);
    await writeAssignments(trx, category, await resolveChanges(trx, before, changes));
    const touched = await Category.query(trx).patchAndFetchById(category.id, { updated_at: new Date() });
    const after = await loadCategoryDetail(trx, touched);
    if (mandatoryOf(before) !== mandatoryOf(after)) await scheduleStatusJob(trx, siteId, [category.node_id]);
    return { detail: after, warnings: await requiredBesides(trx, before, after) };
  });
}

/** A warning for each required attribute that the category has from now on although items in it may lack a value. */
async function requiredBesides(trx: Db, before: CategoryDetail, after: CategoryDetail): Promise<ErrorProblem[]> {
  const had = new Set(before.attributes.map(({ id }) => id));
  const added = after.attributes.filter(({ id }) => !had.has(id));
  if (added.length === 0) return [];
  const required = await Attribute.query(trx)
    .whereIn(
      'id',
      added.map(({ id }) => id),
    )
    .whereRaw("definition -> 'validation' ->> 'required' = 'true'")
    .orderBy(['position', 'id']);
  if (required.length === 0 || !(await holdsItemsBelow(trx, after.category))) return [];
  return required.map(({ name }) => ({
    path: name,
    code: 'REQUIRED_WITHOUT_VALUE',
    message: `"${name}" is required, and the category has items: those without a value stay as they are. From now on none is created or moved here without one.`,
  }));
}

/** Whether the category, or one below it, holds an item. */
async function holdsItemsBelow(trx: Db, { site_id: siteId, path }: Category): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { found: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM item WHERE site_id = :siteId AND node_id = ANY (ARRAY(
         SELECT noted.node_id FROM filled_category AS noted
         JOIN category ON category.site_id = noted.site_id AND category.node_id = noted.node_id
         WHERE noted.site_id = :siteId AND category.path ^@ :path))) AS found`,
    { siteId, path },
  );
  return rows[0]?.found ?? false;
}

/** The mandatory attributes as one text, to compare them. */
function mandatoryOf({ attributes }: CategoryDetail): string {
  const ids = attributes.filter(({ required }) => required).map(({ id }) => id);
  return ids.sort().join();
}

async function loadCategoryDetail(db: Db, category: Category): Promise<CategoryDetail> {
  const [detail] = await loadCategoryDetails(db, category.site_id, [category]);
  if (detail === undefined) throw new Error(`category ${category.id} has no details`);
  return detail;
}

async function resolveChanges(
  trx: Db,
  before: CategoryDetail,
  changes: readonly ItemAttributeChange[],
): Promise<ResolvedChange[]> {
  const references = changes.map((change) => change.attribute);
  const attributes = await findAttributes(trx, before.category.site_id, references);
  const inherited = new Set(before.attributes.filter((attribute) => attribute.inherited).map(({ id }) => id));
  const problems: ErrorProblem[] = [];
  const resolved = new Map<string, ResolvedChange>();
  changes.forEach(({ action, attribute: named, mandatory }, index) => {
    const attribute = attributes[index];
    const path = `itemAttributes.${index}`;
    const problem = (code: string, message: string) => problems.push({ index, path, code, message });
    if (attribute === undefined) {
      problem('ATTRIBUTE_NOT_FOUND', `There is no attribute ${describeAttribute(named)}.`);
    } else if (resolved.has(attribute.id)) {
      problem('ATTRIBUTE_NAMED_TWICE', `Attribute "${attribute.name}" is named twice in the request: name it once.`);
    } else if (action === 'UNSET' && inherited.has(attribute.id)) {
      problem('ATTRIBUTE_INHERITED', `Attribute "${attribute.name}" is inherited: remove it from the category above.`);
    } else {
      resolved.set(attribute.id, { action, attributeId: attribute.id, mandatory });
    }
  });
  const [first] = problems;
  if (first !== undefined) throw new DomainError('invalid', first.code, first.message, { problems });
  return [...resolved.values()];
}

async function writeAssignments(trx: Db, category: Category, changes: readonly ResolvedChange[]): Promise<void> {
  const unset = changes.filter(({ action }) => action === 'UNSET').map(({ attributeId }) => attributeId);
  await CategoryAttribute.query(trx).delete().where({ category_id: category.id }).whereIn('attribute_id', unset);
  const set = changes.filter(({ action }) => action === 'SET');
  await trx.raw(SET_ASSIGNMENTS, { categoryId: category.id, changes: JSON.stringify(set) });
}

/** New assignments come last, in the order of the request; existing ones keep their position. */
const SET_ASSIGNMENTS = `
  INSERT INTO category_attribute (category_id, attribute_id, mandatory, position)
  SELECT :categoryId, change.value ->> 'attributeId',
    coalesce((change.value ->> 'mandatory')::boolean, present.mandatory, false),
    change.ordinality + (SELECT coalesce(max(position), 0) FROM category_attribute WHERE category_id = :categoryId)
  FROM jsonb_array_elements(:changes::jsonb) WITH ORDINALITY AS change
  LEFT JOIN category_attribute present
    ON present.category_id = :categoryId AND present.attribute_id = change.value ->> 'attributeId'
  ON CONFLICT ON CONSTRAINT category_attribute_pk DO UPDATE SET mandatory = excluded.mandatory
`;

// Puts items into a category of an alternate tree, or takes them out.

interface CategoryItemChange {
  readonly sku: string;
  readonly action: 'SET' | 'UNSET';
}

/** UNCHANGED: a SET of an item that was in the category already, or an UNSET of one that was not. */
export type CategoryItemOutcome = 'SET' | 'UNSET' | 'UNCHANGED' | 'SKU_NOT_FOUND' | 'SKU_DUPLICATE_IN_REQUEST';

interface CategoryItemResult extends CategoryItemChange {
  readonly index: number;
  readonly outcome: CategoryItemOutcome;
}

/**
 * Makes all changes that are possible, in one transaction, and returns the outcome of each. If a SKU is named twice,
 * the last change counts.
 * @throws DomainError invalid: NODE_NOT_FOUND, NODE_NOT_ALTERNATE, NODE_NOT_LEAF
 */
export async function setCategoryItems(
  db: Db,
  site: SiteContext,
  reference: CategoryReference,
  changes: readonly CategoryItemChange[],
): Promise<{ category: Category; results: CategoryItemResult[] }> {
  return withRetries(db, async (trx) => {
    const found = await requireCategory(trx, site.siteId, reference);
    // The lock excludes a transaction that adds a child to the category: see the leaf rule in category-rules.ts.
    const category = await Category.query(trx).findById(found.id).forUpdate().throwIfNotFound();
    await refuseUnfit(trx, category);
    const keyed = changes.map(({ sku, action }) => ({ sku: normalizeSku(sku), action }));
    const lastOf = new Map(keyed.map(({ sku }, index) => [sku, index]));
    const known = await knownSkus(trx, site, [...lastOf.keys()]);
    const counting = keyed.filter(({ sku }, index) => lastOf.get(sku) === index && known.has(sku));
    const changed = await writeItems(trx, category, counting);
    const results = keyed.map(({ sku, action }, index): CategoryItemResult => {
      if (!known.has(sku)) return { index, sku, action, outcome: 'SKU_NOT_FOUND' };
      if (lastOf.get(sku) !== index) return { index, sku, action, outcome: 'SKU_DUPLICATE_IN_REQUEST' };
      return { index, sku, action, outcome: changed.has(sku) ? action : 'UNCHANGED' };
    });
    return { category, results };
  });
}

async function refuseUnfit(trx: Db, category: Category): Promise<void> {
  if (category.tree !== 'ALTERNATE') {
    const message = `Category "${category.name}" belongs to the primary tree: set the category of its items by a bulk upsert of the items.`;
    throw new DomainError('invalid', 'NODE_NOT_ALTERNATE', message);
  }
  const child = await Category.query(trx).findOne({ parent_id: category.id }).select('id');
  if (child === undefined) return;
  const message = `Category "${category.name}" (node id ${category.node_id}) has children: only leaves hold items.`;
  throw new DomainError('invalid', 'NODE_NOT_LEAF', message);
}

async function knownSkus(trx: Db, site: SiteContext, skus: readonly string[]): Promise<Set<string>> {
  const rows = await visibleItems(trx, site)
    .whereRaw('item.sku = ANY (?)', [[...skus]])
    .select('item.sku');
  return new Set(rows.map(({ sku }) => sku));
}

/** Returns the SKUs whose membership changed. */
async function writeItems(trx: Db, category: Category, changes: readonly CategoryItemChange[]): Promise<Set<string>> {
  const skusOf = (action: string) => changes.filter((change) => change.action === action).map(({ sku }) => sku);
  const scope = { categoryId: category.id, siteId: category.site_id };
  const set = await trx.raw<{ rows: { sku: string }[] }>(SET_ITEMS, { ...scope, skus: skusOf('SET') });
  const unset = await trx.raw<{ rows: { sku: string }[] }>(UNSET_ITEMS, { ...scope, skus: skusOf('UNSET') });
  const changed = new Set([...set.rows, ...unset.rows].map(({ sku }) => sku));
  if (changed.size > 0) await trx.raw(FORGET_SOURCE, { siteId: category.site_id, skus: [...changed].sort() });
  return changed;
}

const SET_ITEMS = `
  INSERT INTO category_item (category_id, site_id, sku)
  SELECT :categoryId, :siteId, sku FROM unnest(:skus::text[]) AS sku ORDER BY sku
  ON CONFLICT ON CONSTRAINT category_item_pk DO NOTHING RETURNING sku
`;

/**
 * The rows of a file may name the memberships of their items: without their hashes, they are compared with the items
 * when the file is imported again.
 */
const FORGET_SOURCE = `
  UPDATE item SET source_hash = NULL
  FROM (
    SELECT item.ctid AS place FROM unnest(:skus::text[]) AS changed (sku) CROSS JOIN LATERAL (
      SELECT ctid FROM item WHERE site_id = :siteId AND sku = changed.sku COLLATE "C" LIMIT 1 FOR UPDATE) AS item
  ) AS held
  WHERE item.ctid = held.place AND source_hash IS NOT NULL
`;

const UNSET_ITEMS = `
  DELETE FROM category_item WHERE category_id = :categoryId AND sku = ANY (:skus::text[]) RETURNING sku
`;
