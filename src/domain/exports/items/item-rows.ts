/** The items of an export in the byte order of SKUs, as a subquery that cells and lines are made of. */
import { type Sql, sql } from '../../../../db/sql.js';
import { FACT_SQL_COLUMNS } from './item-facts.js';
import { type ItemScope, itemCondition } from './item-filter.js';

/**
 * Items in order, with `doc` for their attributes.
 *
 * OFFSET 0 keeps Postgres from merging a subquery into the one around it, which would work out every expression
 * where it is used, and use some three times. The rows are put in order as they are stored: of what is made of a column
 * the planner takes the width for small, and would rather sort millions of rows on disk than follow the index.
 * The empty object is there for its side effect: a long document is unpacked for it once, where every single value would
 * unpack it anew.
 */
export function itemRows(scope: ItemScope): Sql {
  const stored = sql`
    SELECT i.sku, i.node_id, i.parent_sku, ${FACT_SQL_COLUMNS}, i.attributes
    FROM item AS i WHERE ${itemCondition(scope)} ORDER BY i.sku OFFSET 0`;
  return sql`SELECT i.*, i.attributes || '{}'::jsonb AS doc FROM (${stored}) AS i OFFSET 0`;
}
