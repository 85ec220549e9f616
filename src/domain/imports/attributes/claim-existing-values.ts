/** What becomes of the claims on an attribute's values when it is made unique, or no longer is. */
import type { Knex } from 'knex';
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import type { AttributeChange } from '../../catalog/attributes/decide-attribute-change.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { storable } from '../../kernel/storable-text.js';
import { quoted } from '../../kernel/value-problem.js';
import { hashOfValue } from '../items/resolve/unique-claims.js';

/** Items looked at in one go. */
const BATCH = 5_000;

interface Holding {
  readonly sku: string;
  readonly value: unknown;
}

/**
 * Claims the values that items have already when a change makes their attribute unique; gives the claims up when it no
 * longer is. The caller's job has the site to itself.
 * @returns the change; or what is wrong, when two items share a value
 */
export async function withClaims(
  trx: Knex.Transaction,
  siteId: number,
  change: AttributeChange,
): Promise<AttributeChange | RowProblem[]> {
  if (change.kind !== 'update') return change;
  const { definition, previous } = change;
  const isUnique = definition.validation.unique === true;
  if (isUnique === (previous.validation.unique === true)) return change;
  await giveUpClaims(trx, siteId, definition.id);
  if (!isUnique) return change;
  const shared = await claimValues(trx, siteId, definition);
  if (shared === null) return change;
  await giveUpClaims(trx, siteId, definition.id);
  return [shared];
}

async function giveUpClaims(trx: Knex.Transaction, siteId: number, attributeId: string): Promise<void> {
  await trx('item_unique_value').where({ site_id: siteId, attribute_id: attributeId }).delete();
}

/** @returns null when every value is one item's alone */
async function claimValues(
  trx: Knex.Transaction,
  siteId: number,
  { id, name }: AttributeDefinition,
): Promise<RowProblem | null> {
  for (let after = ''; ; ) {
    const holdings = await loadHoldings(trx, siteId, id, after);
    const last = holdings.at(-1);
    if (last === undefined) return null;
    const claims = holdings.map(({ sku, value }) => ({ s: sku, h: hashOfValue(value) }));
    const claimed = await trx.raw(
      `INSERT INTO item_unique_value (site_id, attribute_id, value_hash, sku)
       SELECT ?, ?, h, s FROM jsonb_to_recordset(?::jsonb) AS claim (s text, h bytea) ORDER BY s COLLATE "C"
       ON CONFLICT ON CONSTRAINT item_unique_value_pk DO NOTHING`,
      [siteId, id, JSON.stringify(claims)],
    );
    if (claimed.rowCount < claims.length)
      return sharedValue(name, await firstShared(trx, siteId, id, claims), holdings);
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

/** The first item whose value is another's, and that other. */
async function firstShared(
  trx: Knex.Transaction,
  siteId: number,
  attributeId: string,
  claims: readonly { readonly s: string; readonly h: string }[],
): Promise<{ readonly sku: string; readonly owner: string }> {
  const result = await trx.raw(
    `SELECT claim.s AS sku, owned.sku AS owner
     FROM jsonb_to_recordset(?::jsonb) AS claim (s text, h bytea)
     JOIN item_unique_value AS owned
       ON owned.site_id = ? AND owned.attribute_id = ? AND owned.value_hash = claim.h AND owned.sku <> claim.s COLLATE "C"
     ORDER BY claim.s COLLATE "C" LIMIT 1`,
    [JSON.stringify(claims), siteId, attributeId],
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
