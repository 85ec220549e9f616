/** Gives categories back what they were, by what requests for categories use. */
import type { Knex } from 'knex';
import { Category, type CategoryTree } from '../../../../db/models/category.js';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { recreateCategory } from '../../catalog/categories/create-category.js';
import { removeCategory } from '../../catalog/categories/delete-category.js';
import { updateCategory } from '../../catalog/categories/update-category.js';
import type { Image } from '../../changes/model/definition-image.js';
import { storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { asRowProblem, type DefinitionSite, type DueDefinition, type WriteDefinitions } from './definition-write.js';

/** One after another: each may refer to the one before it. */
export const revertCategories: WriteDefinitions = async (trx, site, due) => {
  const gone = due.filter(({ definition }) => definition.before === null);
  const ids = gone.map(({ definition }) => definition.key);
  const present = await Category.query(trx).where({ site_id: site.siteId }).whereRaw('id = ANY (?::text[])', [ids]);
  const contents = await contentsOf(trx, site.siteId, present);
  const byId = new Map(present.map((category) => [category.id, category]));
  const problems = new Map<DueDefinition, readonly RowProblem[]>();
  const outboxEntries: OutboxEntry[] = [];
  for (const one of due) {
    const { key, before } = one.definition;
    try {
      if (before !== null) await giveBack(trx, site, one, before);
      else {
        const category = byId.get(key);
        if (category === undefined) throw new Error(`category ${key} is not there`);
        const barred = contents.assigned.get(key);
        if (barred === undefined) {
          const held = contents.held.get(key);
          outboxEntries.push(...(await removeCategory(trx, site, category, { held, emits: site.emits })));
        } else {
          const message = `the attribute "${barred}" is assigned to the category, so that it is kept`;
          problems.set(one, [{ code: 'CATEGORY_IN_USE', column: null, message }]);
        }
      }
    } catch (error) {
      problems.set(one, [asRowProblem(error)]);
    }
  }
  return { problems, outboxEntries };
};

async function giveBack(
  trx: Knex.Transaction,
  { siteId }: DefinitionSite,
  { definition, present }: DueDefinition,
  before: Image,
): Promise<void> {
  const former = before as {
    readonly nodeId: number;
    readonly parentId: string | null;
    readonly tree: CategoryTree;
    readonly name: string;
    readonly order: number;
    readonly active: boolean;
  };
  const { nodeId, parentId, tree, name, order, active } = former;
  if (present === undefined) {
    await recreateCategory(trx, siteId, { id: definition.key, nodeId, parentId, tree, name, order, active });
  } else {
    const parent = parentId === null ? undefined : { id: parentId };
    await updateCategory(trx, siteId, { id: definition.key }, { name, order, active, parent, isExclusive: true });
  }
}

/** What categories hold: id → the SKU of an item, and id → the name of an attribute that is assigned to it. */
interface Contents {
  readonly held: ReadonlyMap<string, string>;
  readonly assigned: ReadonlyMap<string, string>;
}

/** One scan of the site's items, whatever the number of categories. */
async function contentsOf(trx: Knex.Transaction, siteId: number, categories: readonly Category[]): Promise<Contents> {
  if (categories.length === 0) return { held: new Map(), assigned: new Map() };
  const ids = categories.map(({ id }) => id);
  const held = await trx.raw<{ rows: { id: string; sku: string }[] }>(
    `SELECT category.id, min(item.sku) AS sku FROM category
     JOIN item ON item.site_id = category.site_id AND item.node_id = category.node_id
     WHERE category.site_id = :siteId AND category.tree = 'PRIMARY' AND category.id = ANY (:ids)
       AND EXISTS (SELECT FROM filled_category AS filled
                   WHERE filled.site_id = category.site_id AND filled.node_id = category.node_id)
     GROUP BY category.id
     UNION ALL
     SELECT category_id, min(sku) FROM category_item WHERE category_id = ANY (:ids) GROUP BY category_id`,
    { siteId, ids },
  );
  const assigned = await trx.raw<{ rows: { id: string; name: string }[] }>(
    `SELECT held.category_id AS id, min(attribute.name) AS name
     FROM category_attribute AS held JOIN attribute ON attribute.id = held.attribute_id
     WHERE held.category_id = ANY (:ids) GROUP BY held.category_id`,
    { ids },
  );
  return {
    held: new Map(held.rows.map(({ id, sku }) => [id, storable(sku, 100)])),
    assigned: new Map(assigned.rows.map(({ id, name }) => [id, name])),
  };
}
