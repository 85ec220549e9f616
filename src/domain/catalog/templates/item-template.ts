/** The header of an item file: what a person fills in and an import reads. */
import Papa from 'papaparse';
import type { Db } from '../../../../db/connection.js';
import { Attribute } from '../../../../db/models/attribute.js';
import { AttributeMapping } from '../../../../db/models/attribute-mapping.js';
import { Category } from '../../../../db/models/category.js';
import { DomainError } from '../../errors.js';
import { loadCategoryDetails } from '../categories/category-details.js';
import { type CategoryReference, findCategory, nodeNotFound } from '../categories/find-category.js';

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The columns for items of a category: the fixed ones, then its attributes.
 * @throws DomainError not-found NODE_NOT_FOUND; invalid NODE_NOT_LEAF
 */
export async function itemTemplateHeader(
  db: Db,
  siteId: number,
  reference: CategoryReference | null,
): Promise<string[]> {
  return ['Category Node', 'SKU', 'Parent SKU', ...(await attributeColumns(db, siteId, reference))];
}

/** The columns for bundles of a category. @throws as itemTemplateHeader */
export async function bundleTemplateHeader(
  db: Db,
  siteId: number,
  reference: CategoryReference | null,
): Promise<string[]> {
  return ['Category Node', 'SKU', ...(await attributeColumns(db, siteId, reference)), 'Items'];
}

/**
 * Inherited attributes first; without a category, every attribute of the site by position. The attribute mapped to `sku`
 * is the SKU column and has no second one.
 */
async function attributeColumns(db: Db, siteId: number, reference: CategoryReference | null): Promise<string[]> {
  const attributes =
    reference === null ? await siteAttributes(db, siteId) : await leafAttributes(db, siteId, reference);
  const key = await AttributeMapping.query(db).findOne({ site_id: siteId, mapping: 'sku' });
  return attributes.filter(({ id }) => id !== key?.attribute_id).map(({ name }) => name);
}

/** A file of one line in the dialect that imports read: UTF-8 with a byte order mark, CRLF, quotes where needed. */
export function templateFile(header: readonly string[]): Buffer {
  return Buffer.from(`${BYTE_ORDER_MARK}${Papa.unparse([[...header]], { newline: '\r\n' })}\r\n`, 'utf8');
}

interface Column {
  /** The attribute's. */
  readonly id: string;
  readonly name: string;
}

async function siteAttributes(db: Db, siteId: number): Promise<readonly Column[]> {
  return Attribute.query(db).where({ site_id: siteId }).orderBy(['position', 'id']).select('id', 'name');
}

async function leafAttributes(db: Db, siteId: number, reference: CategoryReference): Promise<readonly Column[]> {
  const category = await findCategory(db, siteId, reference);
  if (category === undefined || category.tree !== 'PRIMARY') throw nodeNotFound('not-found', reference);
  const isRoot = category.parent_id === null;
  const child = await Category.query(db).findOne({ parent_id: category.id }).select('id');
  if (isRoot || child !== undefined) {
    const message = `Category "${category.name}" (node id ${category.node_id}) is no leaf: items lie in leaves only.`;
    throw new DomainError('invalid', 'NODE_NOT_LEAF', message);
  }
  const [detail] = await loadCategoryDetails(db, siteId, [category]);
  return detail?.attributes ?? [];
}
