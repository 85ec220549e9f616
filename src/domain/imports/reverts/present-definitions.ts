/** Reads definitions as they are now, in the form in which the change log has them. */
import type { Knex } from 'knex';
import type { DefinitionKind, Image } from '../../changes/model/definition-image.js';
import { presentSurroundings } from '../surroundings/present-surroundings.js';
import { type DefinitionRow, isSurrounding } from './definition-row.js';

/**
 * SQL: key and image of each wanted definition. They are those of the triggers (see the migration `definition-changes`),
 * without what is not compared.
 */
const PRESENT: Readonly<Record<DefinitionKind, string>> = {
  attribute: `
    SELECT r.id AS key, jsonb_build_object('name', r.name, 'type', r.type, 'position', r.position,
      'definition', r.definition) AS image
    FROM attribute AS r WHERE r.site_id = :siteId AND r.id = ANY (:keys)`,
  category: `
    SELECT r.id AS key, jsonb_build_object('nodeId', r.node_id, 'parentId', r.parent_id, 'tree', r.tree,
      'name', r.name, 'order', r.sort_order, 'active', r.active) AS image
    FROM category AS r WHERE r.site_id = :siteId AND r.id = ANY (:keys)`,
  assignment: `
    SELECT wanted.key, jsonb_build_object('categoryId', r.category_id, 'attributeId', r.attribute_id,
      'mandatory', r.mandatory, 'position', r.position) AS image
    FROM unnest(:keys::text[]) AS wanted (key)
    JOIN category_attribute AS r ON r.category_id = split_part(wanted.key, '/', 1) COLLATE "C"
      AND r.attribute_id = split_part(wanted.key, '/', 2) COLLATE "C"
    JOIN category ON category.id = r.category_id AND category.site_id = :siteId`,
  mapping: `
    SELECT r.mapping AS key, jsonb_build_object('attributeId', r.attribute_id, 'required', r.required) AS image
    FROM attribute_mapping AS r WHERE r.site_id = :siteId AND r.mapping = ANY (:keys)`,
};

/**
 * `kind key` → the definition; one that is not there is not among them.
 * @param locks whether others wait with changes of what is around the catalog until the transaction ends, so that it stays as it is judged
 */
export async function presentDefinitions(
  trx: Knex.Transaction,
  siteId: number,
  rows: readonly Pick<DefinitionRow, 'kind' | 'key'>[],
  locks = false,
): Promise<ReadonlyMap<string, Image>> {
  const present = new Map<string, Image>();
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const keys = rows.flatMap((row) => (row.kind === kind ? [row.key] : []));
    if (isSurrounding(kind)) {
      for (const { key, image } of await presentSurroundings(trx, siteId, kind, keys, locks))
        present.set(`${kind} ${key}`, image);
      continue;
    }
    const found = await trx.raw<{ rows: { key: string; image: Image }[] }>(PRESENT[kind], { siteId, keys });
    for (const { key, image } of found.rows) present.set(`${kind} ${key}`, image);
  }
  return present;
}
