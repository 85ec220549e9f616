/** Definitions of all sites, and the items of the last two. */
import type { Db } from '../../../../db/connection.js';
import { idOf, type Laid } from './laid-ids.js';

/** Attributes of the last site, none of which is unique; the site before it has a unique one, variants and bundles. */
const ATTRIBUTES = 200;

export async function layCatalog(db: Db, laid: Laid): Promise<void> {
  const { sites, items } = laid;
  const title = idOf(laid, 'attribute', 'site');
  const code = idOf(laid, 'attribute', String(sites + 1));
  const sku = (n: string) => `'sku ' || lpad((${n})::text, 7, '0')`;
  await db.raw(`
    INSERT INTO attribute (id, site_id, name, name_key, type, position, definition)
      SELECT ${title}, site, 'Title', 'title', 'TEXT', 1, '{"validation":{"inheritable":true}}' FROM generate_series(1, ${sites}) AS site;
    INSERT INTO attribute (id, site_id, name, name_key, type, position, definition)
      VALUES (${code}, ${sites - 1}, 'Code', 'code', 'TEXT', 2, '{"validation":{"unique":true}}');
    INSERT INTO attribute (id, site_id, name, name_key, type, position, definition)
      SELECT ${idOf(laid, 'attribute', `${sites} + n`)}, ${sites}, 'Other ' || n, 'other ' || n, 'TEXT', n, '{}' FROM generate_series(2, ${ATTRIBUTES}) AS n;
    INSERT INTO attribute_mapping (site_id, mapping, attribute_id, required) VALUES (${sites}, 'title', ${idOf(laid, 'attribute', String(sites))}, false);
    INSERT INTO category (id, site_id, node_id, tree, name, name_key, path, depth)
      SELECT ${idOf(laid, 'category', '2 * site')}, site, 1, 'PRIMARY', 'PRIMARY', 'primary', '/1/', 0 FROM generate_series(1, ${sites}) AS site;
    INSERT INTO category (id, site_id, node_id, parent_id, tree, name, name_key, path, depth)
      SELECT ${idOf(laid, 'category', '2 * site + 1')}, site, 2, ${idOf(laid, 'category', '2 * site')}, 'PRIMARY', 'Disk', 'disk', '/1/2/', 1
      FROM generate_series(1, ${sites}) AS site;
    INSERT INTO category_attribute (category_id, attribute_id, mandatory, position)
      SELECT ${idOf(laid, 'category', '2 * site + 1')}, ${title}, true, 1 FROM generate_series(1, ${sites}) AS site
      UNION ALL SELECT ${idOf(laid, 'category', `2 * ${sites - 1} + 1`)}, ${code}, false, 2;

    INSERT INTO item (site_id, sku, node_id, parent_sku, attributes, source_hash)
      SELECT site, ${sku('n')}, 2, CASE WHEN site < ${sites} AND n % 10 = 1 AND n > 10 THEN ${sku('n - 1')} END,
             jsonb_build_object(${title}, 'title ' || n || repeat('x', 200)), 0
      FROM generate_series(${sites - 1}, ${sites}) AS site, generate_series(1, ${items}) AS n;
    INSERT INTO item (site_id, sku, type, node_id, attributes, source_hash)
      SELECT ${sites - 1}, 'bundle ' || n, 'B', 2, '{}', 0 FROM generate_series(1, ${items / 20}) AS n;
    INSERT INTO bundle_item (site_id, bundle_sku, position, sku, quantity)
      SELECT ${sites - 1}, 'bundle ' || n, position, ${sku('n * 10 + position')}, 1 FROM generate_series(1, ${items / 20}) AS n, generate_series(0, 4) AS position;
    INSERT INTO item_unique_value (site_id, attribute_id, value_hash, sku)
      SELECT ${sites - 1}, ${code}, sha256(convert_to('"code ' || n || '"', 'UTF8')), ${sku('n')} FROM generate_series(1, ${items}) AS n;
  `);
}
