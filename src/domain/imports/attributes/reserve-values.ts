/** Unique-value reservations, when an attribute becomes unique or stops being unique. */
import type { Knex } from 'knex';
import type { AttributeChange } from '../../catalog/attributes/decide-attribute-change.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { storable } from '../../kernel/characters.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import { hashOfValue } from '../items/resolve/unique-reservations.js';

/** How many items one statement reads. */
const BATCH = 5_000;

interface Holding {
  readonly sku: string;
  readonly value: unknown;
}

/**
 * Reserves the values that items have when a change makes their attribute unique, and releases the reservations when
 * the attribute is no longer unique. The caller's job is exclusive.
 * @returns the change; or the problem, when two items share a value
 */
export async function withReservations(
  trx: Knex.Transaction,
  siteId: number,
  change: AttributeChange,
): Promise<AttributeChange | RowProblem[]> {
  if (change.kind !== 'update') return change;
  const { definition, previous } = change;
  const isUnique = definition.validation.unique === true;
  if (isUnique === (previous.validation.unique === true)) return change;
  await releaseReservations(trx, siteId, definition.id);
  if (!isUnique) return change;
  // If it fails, the attribute keeps the name that it has.
  const shared = await reserveValues(trx, siteId, previous);
  if (shared === null) return change;
  await releaseReservations(trx, siteId, definition.id);
  return [shared];
}

async function releaseReservations(trx: Knex.Transaction, siteId: number, attributeId: string): Promise<void> {
  await trx('item_unique_value').where({ site_id: siteId, attribute_id: attributeId }).delete();
}

/** @returns null when no two items share a value */
async function reserveValues(
  trx: Knex.Transaction,
  siteId: number,
  { id, name }: AttributeDefinition,
): Promise<RowProblem | null> {
  for (let after = ''; ; ) {
    const holdings = await loadHoldings(trx, siteId, id, after);
    const last = holdings.at(-1);
    if (last === undefined) return null;
    const reservations = holdings.map(({ sku, value }) => ({ s: sku, h: hashOfValue(value) }));
    const reserved = await trx.raw(
      `INSERT INTO item_unique_value (site_id, attribute_id, value_hash, sku)
       SELECT ?, ?, h, s FROM jsonb_to_recordset(?::jsonb) AS reservation (s text, h bytea) ORDER BY s COLLATE "C"
       ON CONFLICT ON CONSTRAINT item_unique_value_pk DO NOTHING`,
      [siteId, id, JSON.stringify(reservations)],
    );
    if (reserved.rowCount < reservations.length)
      return sharedValue(name, await firstShared(trx, siteId, id, reservations), holdings);
    after = last.sku;
  }
}

async function loadHoldings(
  trx: Knex.Transaction,
  siteId: number,
  attributeId: string,
  after: string,
): Promise<readonly Holding[]> {
  const result = await trx.raw(
    `SELECT sku, attributes -> :attributeId AS value FROM item
     WHERE site_id = :siteId AND sku > :after AND jsonb_exists(attributes, :attributeId)
     ORDER BY sku LIMIT ${BATCH}`,
    { siteId, attributeId, after },
  );
  return result.rows;
}

/** Finds the first item whose value another item has reserved, and that other item. */
async function firstShared(
  trx: Knex.Transaction,
  siteId: number,
  attributeId: string,
  reservations: readonly { readonly s: string; readonly h: string }[],
): Promise<{ readonly sku: string; readonly owner: string }> {
  const result = await trx.raw(
    `SELECT wanted.s AS sku, owned.sku AS owner
     FROM jsonb_to_recordset(?::jsonb) AS wanted (s text, h bytea)
     JOIN item_unique_value AS owned
       ON owned.site_id = ? AND owned.attribute_id = ? AND owned.value_hash = wanted.h AND owned.sku <> wanted.s COLLATE "C"
     ORDER BY wanted.s COLLATE "C" LIMIT 1`,
    [JSON.stringify(reservations), siteId, attributeId],
  );
  return result.rows[0];
}

function sharedValue(
  name: string,
  { sku, owner }: { readonly sku: string; readonly owner: string },
  holdings: readonly Holding[],
): RowProblem {
  const value = holdings.find((holding) => holding.sku === sku)?.value;
  const items = `the items "${storable(owner, 100)}" and "${storable(sku, 100)}"`;
  const message = `"${name}" cannot be made unique: ${items} both have the value ${quoted(value)}; change one of them first`;
  return { code: 'VALUE_NOT_UNIQUE', column: 'validation.unique', message, value: storable(String(value), 200) };
}
