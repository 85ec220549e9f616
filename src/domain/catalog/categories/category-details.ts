/** Loads what is shown of categories besides their rows: attributes, children and lineage. */

import type { Db } from '../../../../db/connection.js';
import type { Attribute } from '../../../../db/models/attribute.js';
import { Category } from '../../../../db/models/category.js';
import type { CategoryAttribute } from '../../../../db/models/category-attribute.js';
import { groupedBy } from '../../kernel/grouped-by.js';
import { AssignmentInheritance, type OwnAssignment } from '../assignment-inheritance.js';
import type { AssignedAttribute } from '../site-definitions.js';
import { loadLineages } from './lineages.js';

/** An attribute as a category has it. */
export interface CategoryAttributeDetail {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Mandatory for items of the category. */
  readonly required: boolean;
  readonly inherited: boolean;
}

export interface CategoryDetail {
  readonly category: Category;
  readonly attributes: readonly CategoryAttributeDetail[];
  /** Its children, in their order. */
  readonly children: readonly Category[];
  /** From the root to the category itself. */
  readonly lineage: readonly Category[];
}

/** The details of categories of one site, in the given order. The number of queries is constant. */
export async function loadCategoryDetails(
  db: Db,
  siteId: number,
  categories: readonly Category[],
): Promise<CategoryDetail[]> {
  const [children, lineages] = await Promise.all([loadChildren(db, categories), loadLineages(db, siteId, categories)]);
  const attributesOf = await loadAttributes(db, lineages);
  return categories.map((category, index) => {
    const lineage = lineages[index] ?? [];
    return { category, lineage, attributes: attributesOf(lineage), children: children.get(category.id) ?? [] };
  });
}

async function loadChildren(db: Db, categories: readonly Category[]): Promise<Map<string, Category[]>> {
  const ids = categories.map(({ id }) => id);
  const rows = await Category.query(db).whereIn('parent_id', ids).orderBy(['sort_order', 'node_id']);
  return groupedBy(rows, (row) => row.parent_id ?? '');
}

/** An assignment of an attribute, with what is shown of it. */
type Assignment = Pick<CategoryAttribute, 'category_id' | 'attribute_id' | 'mandatory'> &
  Pick<Attribute, 'name' | 'type'>;

async function loadAttributes(
  db: Db,
  lineages: readonly Category[][],
): Promise<(lineage: readonly Category[]) => CategoryAttributeDetail[]> {
  const categoryIds = [...new Set(lineages.flat().map(({ id }) => id))];
  // Plain rows: a category may have thousands of attributes, and a model for each of them takes long.
  const assignments: readonly Assignment[] = await db('category_attribute AS assignment')
    .join('attribute', 'attribute.id', 'assignment.attribute_id')
    .whereRaw('assignment.category_id = ANY (?)', [categoryIds])
    .orderBy(['assignment.position', 'assignment.attribute_id'])
    .select('category_id', 'attribute_id', 'mandatory', 'name', 'type');
  const byId = new Map(assignments.map((assignment) => [assignment.attribute_id, assignment]));
  const own = new Map<string, OwnAssignment[]>(categoryIds.map((id) => [id, []]));
  for (const { category_id, attribute_id, mandatory } of assignments) {
    own.get(category_id)?.push({ attributeId: attribute_id, mandatory });
  }
  const inheritance = new AssignmentInheritance();
  return (lineage) => {
    let assigned: readonly AssignedAttribute[] | undefined;
    for (const category of lineage) assigned = inheritance.attributesOf(assigned, own.get(category.id) ?? []);
    return (assigned ?? []).flatMap(({ attributeId, mandatory, inherited }) => {
      const attribute = byId.get(attributeId);
      if (attribute === undefined) return [];
      return [{ id: attributeId, name: attribute.name, type: attribute.type, required: mandatory, inherited }];
    });
  };
}
