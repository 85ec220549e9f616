/** Reads and writes the attributes of a site, for jobs that change them. */
import type { Knex } from 'knex';
import { columnsFromDefinition, definitionFromColumns } from '../../catalog/attribute-record.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { AttributeSet } from '../../catalog/attributes/attribute-set.js';
import type { AttributeChange } from '../../catalog/attributes/decide-attribute-change.js';
import { isInherited } from '../../catalog/is-inherited.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';

interface StoreOptions {
  /** Attribute id → a number that its next serial number is not below. */
  readonly nextSerials?: ReadonlyMap<string, number>;
  /** Whether attributes that are there get the positions of their definitions; otherwise they keep theirs. */
  readonly withPositions?: boolean;
  /** Writes what refers to the attributes. */
  readonly afterwards?: () => Promise<void>;
}

/** Writes changes of attributes, and has the status of items updated where it follows from them. */
export async function storeAttributes(
  trx: Knex.Transaction,
  siteId: number,
  changes: readonly AttributeChange[],
  { nextSerials = new Map(), withPositions = false, afterwards }: StoreOptions = {},
): Promise<void> {
  const concerned = await categoriesConcerned(trx, changes);
  await storeChanges(trx, siteId, changes, { nextSerials, withPositions });
  await afterwards?.();
  await scheduleStatusJob(trx, siteId, concerned);
}

export async function loadAttributes(trx: Knex.Transaction, siteId: number): Promise<AttributeSet> {
  const rows = await trx('attribute').where({ site_id: siteId }).select('id', 'name', 'type', 'position', 'definition');
  return new AttributeSet(rows.map(definitionFromColumns));
}

/** Counts the items that have a value of each attribute. It scans the site's items, so call it only when needed. */
export async function countUsage(
  trx: Knex.Transaction,
  siteId: number,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT wanted.id, count(item.sku)::integer AS used
     FROM jsonb_array_elements_text(?::jsonb) AS wanted (id)
     LEFT JOIN item ON item.site_id = ? AND item.attributes \\? wanted.id
     GROUP BY wanted.id`,
    [JSON.stringify(ids), siteId],
  );
  return new Map(result.rows.map((row: { id: string; used: number }) => [row.id, row.used]));
}

/** Writes the final state of each attribute that changed. */
async function storeChanges(
  trx: Knex.Transaction,
  siteId: number,
  changes: readonly AttributeChange[],
  { nextSerials, withPositions }: Required<Omit<StoreOptions, 'afterwards'>>,
): Promise<void> {
  const last = new Map<string, AttributeDefinition | null>();
  for (const { kind, definition } of changes) {
    if (kind !== 'unchanged') last.set(definition.id, kind === 'delete' ? null : definition);
  }
  const deleted = [...last].flatMap(([id, definition]) => (definition === null ? [id] : []));
  const stored = [...last.values()].flatMap((definition) => (definition === null ? [] : [definition]));
  if (deleted.length > 0) {
    // Before the attributes, so that the change log can be undone from its end.
    await trx('category_attribute').whereIn('attribute_id', deleted).delete();
    await trx('attribute').whereIn('id', deleted).delete();
  }
  if (stored.length === 0) return;
  // The names are replaced by temporary ones first, because two attributes may have swapped theirs.
  await trx('attribute')
    .whereIn(
      'id',
      stored.map(({ id }) => id),
    )
    .update({ name_key: trx.raw('chr(1) || id') });
  const rows = stored.map((definition) => ({
    ...columnsFromDefinition(definition),
    // The statement below never lowers the next number, unless the type has changed.
    serial_next: ATTRIBUTE_TYPES[definition.type].numbersItems
      ? Math.max(definition.serialStart ?? 1, nextSerials.get(definition.id) ?? 1)
      : null,
  }));
  await trx.raw(
    `INSERT INTO attribute (id, site_id, name, name_key, type, position, definition, serial_next)
     SELECT id, :siteId, name, name_key, type, position, definition, serial_next
     FROM jsonb_to_recordset(:rows::jsonb) AS new
       (id text, name text, name_key text, type text, position integer, definition jsonb, serial_next bigint)
     ON CONFLICT ON CONSTRAINT attribute_pk DO UPDATE SET
       name = excluded.name, name_key = excluded.name_key, type = excluded.type, definition = excluded.definition,
       position = CASE WHEN :withPositions THEN excluded.position ELSE attribute.position END,
       serial_next = CASE WHEN attribute.type = excluded.type THEN GREATEST(attribute.serial_next, excluded.serial_next)
         ELSE excluded.serial_next END,
       updated_at = now()`,
    { siteId, rows: JSON.stringify(rows), withPositions },
  );
}

/**
 * Finds the categories whose items may change their status: items without a value of a deleted attribute, and variants
 * that now inherit a value of their parent, or no longer do.
 */
async function categoriesConcerned(
  trx: Knex.Transaction,
  changes: readonly AttributeChange[],
): Promise<readonly number[]> {
  const ids = changes.flatMap((change) => (changesStatuses(change) ? [change.definition.id] : []));
  if (ids.length === 0) return [];
  return trx('category_attribute')
    .join('category', 'category.id', 'category_attribute.category_id')
    .whereIn('attribute_id', ids)
    .where({ mandatory: true })
    .distinct('node_id')
    .pluck('node_id');
}

function changesStatuses(change: AttributeChange): boolean {
  if (change.kind !== 'update') return change.kind === 'delete';
  return isInherited(change.definition, false) !== isInherited(change.previous, false);
}
