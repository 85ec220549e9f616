/** The columns of the templates, which people fill in and imports read. */
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category } from '../../../../db/models/category.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import type { XlsxColumn } from '../../formats/xlsx/xlsx-column.js';
import { DomainError } from '../../kernel/errors.js';
import type { AttributeDefinition } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeColumn } from '../attributes/attribute-columns.js';
import { attributeTemplateHeader, FILE_TYPES } from '../attributes/attribute-columns.js';
import { LocalizedNames } from '../attributes/localized-names.js';
import { CATEGORY_COLUMNS } from '../categories/category-cells.js';
import type { CategoryReference } from '../categories/find-category.js';
import { findCategory, nodeNotFound } from '../categories/find-category.js';
import { loadCategoryDetails } from '../categories/read-categories.js';
import { definitionFromColumns } from '../definition-snapshot.js';
import type { AttributeType } from '../types/attribute-type.js';
import { BOOLEAN_CHOICES } from '../types/boolean.js';

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

/** An attribute of the template. */
interface TemplateAttribute {
  readonly row: Attribute;
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
  return attributes
    .filter(({ row }) => !isKey(row.id))
    .map(({ row, mandatory }) => {
      const definition = definitionFromColumns(row);
      const { required = false } = definition.validation;
      // Only categories that have the attribute require it, so that without a category nobody can say.
      const wanted = mandatory || (required && reference !== null);
      return { ...attributeTemplateColumn(definition, wanted), title: titleOf(definition) };
    });
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
  const names = new LocalizedNames(all.map(({ row }) => definitionFromColumns(row)));
  return (definition) => names.titleOf(definition, locale);
}

async function siteAttributes(db: Db, siteId: number): Promise<readonly TemplateAttribute[]> {
  const rows = await Attribute.query(db).where({ site_id: siteId }).orderBy(['position', 'id']);
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
  const rows = await Attribute.query(db).findByIds(ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return details.flatMap(({ id, required }) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ row, mandatory: required }];
  });
}

// The columns of the templates for attributes and for categories.

const FLAGS: ReadonlySet<AttributeColumn> = new Set(['Decimal', 'Mandatory', 'Unique', 'Inheritable']);
const NUMBERS: ReadonlySet<AttributeColumn> = new Set(['Increment by', 'Max Length']);

export function attributeTemplateColumns(): XlsxColumn[] {
  return attributeTemplateHeader().map((column) => {
    if (column === 'Attribute Title') return textColumn(column, true);
    if (column === 'Type of Attribute') return textColumn(column, true, FILE_TYPES);
    if (FLAGS.has(column)) return flagColumn(column);
    return NUMBERS.has(column) ? { title: column } : textColumn(column);
  });
}

export function categoryTemplateColumns(): XlsxColumn[] {
  return CATEGORY_COLUMNS.map((column) => {
    switch (column) {
      case 'Category Path':
        return textColumn(column, true);
      case 'Type':
        return textColumn(column, false, ['PRIMARY', 'ALTERNATE']);
      case 'Active':
        return flagColumn(column);
      case 'Order':
        return { title: column };
      default:
        return textColumn(column);
    }
  });
}

// The format of a template's column, which depends on its attribute.

/** @param mandatory whether items of the category need a value */
function attributeTemplateColumn(definition: AttributeDefinition, mandatory: boolean): XlsxColumn {
  const { name } = definition;
  const type: AttributeType = ATTRIBUTE_TYPES[definition.type];
  const choices = type.choices(definition);
  return {
    title: name,
    format: type.workbook(definition).templateFormat,
    // New items are given the next number.
    mandatory: mandatory && !type.numbersItems,
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A column of texts that is not an attribute. */
function textColumn(title: string, mandatory = false, choices?: readonly string[]): XlsxColumn {
  return { title, format: 'text', mandatory, ...(choices === undefined ? {} : { choices }) };
}

/** A column of true and false. */
function flagColumn(title: string): XlsxColumn {
  return { title, format: 'general', choices: BOOLEAN_CHOICES };
}
