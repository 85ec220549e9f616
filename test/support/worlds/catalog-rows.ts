/** Rows of the catalog written straight into the tables, for tests of what reads them. */
import type { Db } from '../../../db/connection.js';
import { Attribute } from '../../../db/models/attribute.js';
import { Item } from '../../../db/models/item.js';
import { columnsFromDefinition } from '../../../src/domain/catalog/attribute-record.js';
import type { AttributeDefinition } from '../../../src/domain/catalog/model/attribute-definition.js';
import { placeJob } from '../../../src/domain/jobs/order/place.js';
import { newId } from '../../../src/domain/kernel/identifier.js';

/** Adds attributes, TEXT where nothing else is said, and answers their ids by name. */
export async function addAttributes(
  db: Db,
  siteId: number,
  attributes: readonly (Partial<AttributeDefinition> & { name: string })[],
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [index, fields] of attributes.entries()) {
    const definition = { id: newId(), type: 'TEXT', position: index + 1, validation: {}, ...fields } as const;
    await Attribute.query(db).insert({ site_id: siteId, ...columnsFromDefinition(definition) });
    ids[definition.name] = definition.id;
  }
  return ids;
}

/** Adds items. */
export async function addItems(
  db: Db,
  siteId: number,
  items: readonly (Partial<Item> & { sku: string })[],
): Promise<void> {
  for (const item of items) await Item.query(db).insert({ site_id: siteId, attributes: {}, ...item });
  const nodeIds = items.flatMap(({ node_id: nodeId }) => nodeId ?? []);
  if (nodeIds.length > 0) await db('filled_category').insert(nodeIds.map((node_id) => ({ site_id: siteId, node_id })));
}

/** Adds a job that has a place in the site's order. */
export async function addPendingJob(db: Db, siteId: number, accountId: string, kind: string): Promise<string> {
  const id = newId();
  await db('job').insert({
    id,
    site_id: siteId,
    account_id: accountId,
    type: 'TEST',
    kind,
    status: 'SCHEDULED',
    options: '{}',
    shared: false,
    step: 'plan',
  });
  await placeJob(db, id);
  return id;
}
