/** Assigns attributes to a category of the primary tree, or removes them; the categories below it inherit them. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { Category } from '../../../../db/models/category.js';
import { CategoryAttribute } from '../../../../db/models/category-attribute.js';
import { DomainError, type ErrorProblem } from '../../kernel/errors.js';
import { type AttributeReference, describeAttribute, findNamedAttributes } from '../attributes/attribute-reference.js';
import { bumpDefinitions } from '../definitions-version.js';
import { scheduleStatusJob } from '../status-job.js';
import { type CategoryDetail, loadCategoryDetails } from './category-details.js';
import { type CategoryReference, requireCategory } from './find-category.js';

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
async function requiredBesides(
  trx: Knex.Transaction,
  before: CategoryDetail,
  after: CategoryDetail,
): Promise<ErrorProblem[]> {
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
async function holdsItemsBelow(trx: Knex.Transaction, { site_id: siteId, path }: Category): Promise<boolean> {
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
  trx: Knex.Transaction,
  before: CategoryDetail,
  changes: readonly ItemAttributeChange[],
): Promise<ResolvedChange[]> {
  const references = changes.map((change) => change.attribute);
  const attributes = await findNamedAttributes(trx, before.category.site_id, references);
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

async function writeAssignments(
  trx: Knex.Transaction,
  category: Category,
  changes: readonly ResolvedChange[],
): Promise<void> {
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
