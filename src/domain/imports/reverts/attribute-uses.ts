/** Finds what uses attributes, their options and their assignments. */
import type { Knex } from 'knex';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { storable } from '../../kernel/characters.js';

const MOST_CHARACTERS = 100;

/** Attribute id → the name of a category that it is assigned to. */
export async function assignedTo(trx: Knex.Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { id: string; name: string }[] }>(
    `SELECT DISTINCT ON (held.attribute_id) held.attribute_id AS id, category.name
     FROM category_attribute AS held JOIN category ON category.id = held.category_id
     WHERE held.attribute_id = ANY (:ids) ORDER BY held.attribute_id, category.node_id`,
    { ids: [...ids] },
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** An item that has one of the options. It scans the site's items. */
export async function heldOptions(
  trx: Knex.Transaction,
  siteId: number,
  { id }: AttributeDefinition,
  options: readonly string[],
): Promise<{ readonly sku: string; readonly value: string } | undefined> {
  const { rows } = await trx.raw<{ rows: { sku: string; value: string }[] }>(
    `SELECT sku, attributes ->> :id AS value FROM item
     WHERE site_id = :siteId AND attributes ->> :id = ANY (:options) LIMIT 1`,
    { siteId, id, options: [...options] },
  );
  const [found] = rows;
  return found && { sku: storable(found.sku, MOST_CHARACTERS), value: storable(found.value, MOST_CHARACTERS) };
}

/** An assignment of an attribute to a category. */
export interface Assigned {
  readonly key: string;
  readonly categoryId: string;
  readonly attributeId: string;
  /** The time when it was made. */
  readonly at: string;
}

/**
 * Assignment → an item in its category, or below it, that has got a value of its attribute since it was made, by none of
 * these jobs. It scans the site's items.
 */
export async function valuesSince(
  trx: Knex.Transaction,
  siteId: number,
  assigned: readonly Assigned[],
  ownJobs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (assigned.length === 0) return new Map();
  const { rows } = await trx.raw<{ rows: { key: string; sku: string }[] }>(
    `SELECT DISTINCT ON (wanted.key) wanted.key, item.sku
     FROM jsonb_to_recordset(:assigned::jsonb) AS wanted (key text, "categoryId" text, "attributeId" text, at timestamptz)
     JOIN category AS top ON top.id = wanted."categoryId" COLLATE "C"
     JOIN category AS leaf ON leaf.site_id = top.site_id AND starts_with(leaf.path, top.path)
     JOIN item ON item.site_id = :siteId AND item.node_id = leaf.node_id AND jsonb_exists(item.attributes, wanted."attributeId")
     WHERE EXISTS (
         SELECT FROM item_change AS change JOIN change_set AS set ON set.id = change.set_id AND set.at = change.at
         WHERE change.site_id = :siteId AND change.sku = item.sku AND change.at >= wanted.at AND change.operation = 'U'
           AND jsonb_exists(change.changed, wanted."attributeId") AND NOT set.preview
           AND (set.job_id IS NULL OR set.job_id <> ALL (:ownJobs)))
       OR (item.created_at >= wanted.at AND EXISTS (
         SELECT FROM change_set AS set
         WHERE set.site_id = :siteId AND set.at = item.created_at AND set.created IS NOT NULL AND NOT set.preview
           AND (set.job_id IS NULL OR set.job_id <> ALL (:ownJobs)) AND item.sku = ANY (set.created)))
     ORDER BY wanted.key, item.sku`,
    { siteId, assigned: JSON.stringify(assigned), ownJobs: [...ownJobs] },
  );
  return new Map(rows.map(({ key, sku }) => [key, storable(sku, MOST_CHARACTERS)]));
}
