/** The reference of exports: one COPY of the items with a column an attribute, as somebody would write it by hand. */
import type { ReferenceAttribute } from '../benchmarks/file-export.js';

/** Categories by their node id, nothing escaped. */
export function flatCopy(siteId: number, attributes: readonly ReferenceAttribute[]): string {
  const values = attributes.map(({ id }) => `attributes ->> ${id}`);
  return `COPY (SELECT node_id, sku, parent_sku, ${values.join(', ')} FROM item WHERE site_id = ${siteId} ORDER BY sku) TO STDOUT (FORMAT csv)`;
}
