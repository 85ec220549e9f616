/** The columns of the templates, which people fill in and imports read. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category } from '../../../../db/models/category.js';
import { fromInTurns } from '../../../platform/time-slice.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';
import { DomainError } from '../../kernel/errors.js';
import { definitionFromColumns } from '../attribute-record.js';
import { LocalizedNames } from '../attributes/localized-names.js';
import { loadCategoryDetails } from '../categories/category-details.js';
import { type CategoryReference, findCategory, nodeNotFound } from '../categories/find-category.js';
import type { AttributeDefinition } from '../model/attribute-definition.js';
import { attributeTemplateColumn, textColumn } from './template-column.js';

const CATEGORY_NODE = textColumn('Category Node', true);
const SKU = textColumn('SKU', true);

/**
 * The columns for items of a category: the fixed ones, then its attributes.
 * @param locale the locale of the titles; undefined uses the attributes' own names
 * @throws DomainError not-found NODE_NOT_FOUND; invalid NODE_NOT_LEAF; unprocessable TOO_MANY_COLUMNS
 */
export async function itemTemplateColumns(
  db: Db,
  siteId: number,
  reference: CategoryReference | null,
  locale?: string,
): Promise<XlsxColumn[]> {
  const fixed = [CATEGORY_NODE, SKU, textColumn('Parent SKU')];
  return [...fixed, ...(await attributeColumns(db, siteId, reference, locale, fixed.length))];
}

/** The columns for bundles of a category. @throws as itemTemplateColumns */
export async function bundleTemplateColumns(
  db: Db,
  siteId: number,
  reference: CategoryReference | null,
  locale?: string,
): Promise<XlsxColumn[]> {
  const fixed = [CATEGORY_NODE, SKU, textColumn('Items')] as const;
  const [node, sku, items] = fixed;
  return [node, sku, ...(await attributeColumns(db, siteId, reference, locale, fixed.length)), items];
}

/** What a template needs of an attribute: plain rows, because a site may have thousands, and a model for each takes long. */
const COLUMNS = ['id', 'name', 'type', 'position', 'definition'] as const;
type AttributeRow = Pick<Attribute, (typeof COLUMNS)[number]>;

/** An attribute of the template. */
interface TemplateAttribute {
  readonly row: AttributeRow;
  /** Whether the category makes it mandatory. */
  readonly mandatory: boolean;
}

/**
 * Inherited attributes first; without a category, every attribute of the site by position. The attribute mapped to
 * `sku` has no column of its own: it is the SKU column.
 */
async function attributeColumns(
  db: Db,
  siteId: number,
  reference: CategoryReference | null,
  locale: string | undefined,
  others: number,
): Promise<XlsxColumn[]> {
  const key = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'sku' });
  const isKey = (id: string) => id === key?.attribute_id;
  if (reference === null) {
    const count = await Attribute.query(db).where({ site_id: siteId }).resultSize();
    requireFewColumns(others + count - (key === undefined ? 0 : 1));
  }
  const requireFew = (ids: readonly string[]) => requireFewColumns(others + ids.filter((id) => !isKey(id)).length);
  const attributes =
    reference === null ? await siteAttributes(db, siteId) : await leafAttributes(db, siteId, reference, requireFew);
  const titleOf = locale === undefined ? ({ name }: AttributeDefinition) => name : await titlesIn(db, siteId, locale);
  return fromInTurns(
    attributes.filter(({ row }) => !isKey(row.id)),
    ({ row, mandatory }) => {
      const definition = definitionFromColumns(row);
      const { required = false } = definition.validation;
      // Only categories that have the attribute require it, so that without a category nobody can say.
      const wanted = mandatory || (required && reference !== null);
      return { ...attributeTemplateColumn(definition, wanted), title: titleOf(definition) };
    },
  );
}

/** Called before attributes are loaded, because a site may have any number. @throws DomainError unprocessable TOO_MANY_COLUMNS */
function requireFewColumns(columns: number): void {
  const { maxColumns } = DEFAULT_LIMITS;
  if (columns <= maxColumns) return;
  const message = `the template would have ${columns} columns, and an import reads at most ${maxColumns}; name a category, whose template has only its own attributes`;
  throw new DomainError('unprocessable', 'TOO_MANY_COLUMNS', message);
}

/** Loads all attributes of the site, because a name that several of them have cannot be a title. */
async function titlesIn(db: Db, siteId: number, locale: string): Promise<(definition: AttributeDefinition) => string> {
  const all = await siteAttributes(db, siteId);
  const names = new LocalizedNames(await fromInTurns(all, ({ row }) => definitionFromColumns(row)));
  return (definition) => names.titleOf(definition, locale);
}

async function siteAttributes(db: Db, siteId: number): Promise<readonly TemplateAttribute[]> {
  const rows: AttributeRow[] = await db('attribute')
    .where({ site_id: siteId })
    .orderBy(['position', 'id'])
    .select(...COLUMNS);
  return rows.map((row) => ({ row, mandatory: false }));
}

async function leafAttributes(
  db: Db,
  siteId: number,
  reference: CategoryReference,
  requireFew: (ids: readonly string[]) => void,
): Promise<readonly TemplateAttribute[]> {
  const category = await findCategory(db, siteId, reference);
  if (category === undefined || category.tree !== 'PRIMARY') throw nodeNotFound('not-found', reference);
  const isRoot = category.parent_id === null;
  const child = await Category.query(db).findOne({ parent_id: category.id }).select('id');
  if (isRoot || child !== undefined) {
    const message = `Category "${category.name}" (node id ${category.node_id}) is not a leaf: choose a leaf, because only leaves hold items.`;
    throw new DomainError('invalid', 'NODE_NOT_LEAF', message);
  }
  const [detail] = await loadCategoryDetails(db, siteId, [category]);
  const details = detail?.attributes ?? [];
  const ids = details.map(({ id }) => id);
  requireFew(ids);
  const rows: AttributeRow[] = await db('attribute')
    .whereRaw('id = ANY (?)', [ids])
    .select(...COLUMNS);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return details.flatMap(({ id, required }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ row, mandatory: required }];
  });
}
