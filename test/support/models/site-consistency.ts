/** Whether the tables of a site fit together: what each item refers to is there, and what follows from others follows from them. */
import assert from 'node:assert/strict';
import type { Db } from '../../../db/connection.js';

/** What would be wrong → a query of what is, a text for each; `:siteId` is the site. */
const RULES: Readonly<Record<string, string>> = {
  'a value of a unique attribute is reserved, once, and nothing else is': `
    WITH held AS (
      SELECT item.sku, attribute.id FROM item JOIN attribute ON attribute.site_id = item.site_id
      WHERE item.site_id = :siteId AND attribute.definition -> 'validation' @> '{"unique": true}'
        AND jsonb_exists(item.attributes, attribute.id)
        AND NOT EXISTS (SELECT 1 FROM attribute_mapping AS role
                        WHERE role.site_id = item.site_id AND role.attribute_id = attribute.id AND role.mapping = 'sku')),
    reserved AS (SELECT sku, attribute_id AS id FROM item_unique_value WHERE site_id = :siteId)
    SELECT 'not reserved: ' || sku || ' ' || id FROM (SELECT * FROM held EXCEPT ALL SELECT * FROM reserved) AS missing
    UNION ALL
    SELECT 'reserved: ' || sku || ' ' || id FROM (SELECT * FROM reserved EXCEPT ALL SELECT * FROM held) AS surplus`,
  'an item is in a leaf of the primary tree, which is noted as filled': `
    SELECT item.sku || ' in ' || coalesce(item.node_id::text, 'none') FROM item
    WHERE item.site_id = :siteId AND NOT EXISTS (
      SELECT 1 FROM category JOIN filled_category AS filled USING (site_id, node_id)
      WHERE site_id = item.site_id AND node_id = item.node_id AND tree = 'PRIMARY' AND parent_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM category AS below WHERE below.parent_id = category.id))`,
  'a place of an item in another tree is a leaf of it, and the item is there': `
    SELECT held.sku || ' in ' || held.category_id FROM category_item AS held
    WHERE held.site_id = :siteId AND NOT EXISTS (
      SELECT 1 FROM category JOIN item ON item.site_id = held.site_id AND item.sku = held.sku
      WHERE category.id = held.category_id AND category.site_id = held.site_id AND tree = 'ALTERNATE'
        AND NOT EXISTS (SELECT 1 FROM category AS below WHERE below.parent_id = category.id))`,
  'a bundle holds what is there, and is one': `
    SELECT part.bundle_sku || ' holds ' || part.sku FROM bundle_item AS part
    WHERE part.site_id = :siteId AND NOT EXISTS (
      SELECT 1 FROM item AS bundle JOIN item AS held USING (site_id)
      WHERE site_id = part.site_id AND bundle.sku = part.bundle_sku AND bundle.type = 'B' AND held.sku = part.sku)`,
  'the parent of a variant is there, and is neither a variant nor a bundle': `
    SELECT variant.sku || ' of ' || variant.parent_sku FROM item AS variant
    WHERE variant.site_id = :siteId AND variant.parent_sku IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM item AS parent WHERE parent.site_id = variant.site_id AND parent.sku = variant.parent_sku
        AND parent.parent_sku IS NULL AND parent.type = 'I' AND variant.type = 'I')`,
  'a value belongs to an attribute that is there': `
    SELECT sku || ' has ' || id FROM item CROSS JOIN LATERAL jsonb_object_keys(attributes) AS id
    WHERE site_id = :siteId AND NOT EXISTS (
      SELECT 1 FROM attribute WHERE attribute.site_id = item.site_id AND attribute.id = id.id)`,
  'what a feed has written is there': `
    SELECT written.sku FROM feed_item AS written
    WHERE site_id = :siteId AND NOT EXISTS (
      SELECT 1 FROM item WHERE item.site_id = written.site_id AND item.sku = written.sku)`,
  'an item is live if it has all that its category makes mandatory, and a bundle something in it': `
    WITH RECURSIVE placed AS (
      SELECT id AS leaf, id, parent_id, 0 AS far FROM category WHERE site_id = :siteId AND tree = 'PRIMARY'
      UNION ALL
      SELECT placed.leaf, above.id, above.parent_id, far + 1 FROM placed JOIN category AS above ON above.id = placed.parent_id),
    assigned AS (
      SELECT DISTINCT ON (leaf, attribute_id) leaf, attribute_id, mandatory
      FROM placed JOIN category_attribute ON category_id = placed.id ORDER BY leaf, attribute_id, far),
    active AS (SELECT attribute_id FROM attribute_mapping WHERE site_id = :siteId AND mapping = 'active'),
    inherited AS (
      SELECT id FROM attribute WHERE site_id = :siteId AND type <> 'SERIAL'
        AND definition -> 'validation' @> '{"inheritable": true}'
        AND NOT coalesce(definition -> 'validation' @> '{"unique": true}', false)
        AND NOT EXISTS (SELECT 1 FROM attribute_mapping AS role
                        WHERE role.attribute_id = attribute.id AND role.mapping = 'isVariant')),
    shown AS (
      SELECT item.sku, item.type, item.status, category.id AS leaf,
        coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(parent.attributes)
                  WHERE key IN (SELECT id FROM inherited)
                    AND key IN (SELECT attribute_id FROM assigned WHERE leaf = category.id)), '{}') || item.attributes AS held
      FROM item JOIN category ON category.site_id = item.site_id AND category.node_id = item.node_id
      LEFT JOIN item AS parent ON parent.site_id = item.site_id AND parent.sku = item.parent_sku
      WHERE item.site_id = :siteId)
    SELECT sku || ' is ' || status::text FROM shown
    WHERE status <> CASE WHEN
      EXISTS (SELECT 1 FROM assigned WHERE assigned.leaf = shown.leaf AND mandatory AND NOT jsonb_exists(held, attribute_id)
              AND attribute_id NOT IN (SELECT attribute_id FROM attribute_mapping WHERE site_id = :siteId AND mapping = 'sku'))
      OR EXISTS (SELECT 1 FROM active WHERE held -> attribute_id = 'false'::jsonb)
      OR type = 'B' AND NOT EXISTS (SELECT 1 FROM bundle_item WHERE site_id = :siteId AND bundle_sku = shown.sku)
      THEN 'D' ELSE 'L' END::"char"`,
};

/** To be called when no job of the site is open. @throws AssertionError naming a rule and what it is not true of */
export async function assertConsistent(db: Db, siteId: number): Promise<void> {
  for (const [rule, sql] of Object.entries(RULES)) {
    const { rows } = await db.raw<{ rows: Readonly<Record<string, string>>[] }>(sql, { siteId });
    const wrong = rows.flatMap((row) => Object.values(row));
    assert.deepEqual(wrong, [], rule);
  }
}
