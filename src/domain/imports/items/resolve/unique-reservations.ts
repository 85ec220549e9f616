/** Keeps the values of unique attributes unique: when two rows set the same value, the earlier row has it. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { RowProblem } from '../../../kernel/row-problem.js';
import { quoted } from '../../../kernel/value-problem.js';
import type { ItemRules } from '../item-rules.js';
import type { ItemState } from './item-state.js';

/** An item about to be written, and the row it comes from. */
interface Holder {
  readonly row: number;
  readonly item: ItemState;
}

interface Reservation {
  readonly attributeId: string;
  readonly position: number;
  readonly value: unknown;
  readonly hash: string;
}

interface Owner {
  readonly sku: string;
  /** The row of this chunk that reserved the value; null when it was reserved before. */
  readonly row: number | null;
}

/**
 * The unique-value reservations of the rows of one chunk. The caller's job is exclusive and applies its chunks one
 * after another, so that checking before writing is safe.
 */
export class UniqueReservations {
  readonly #winners: { readonly sku: string; readonly reservations: readonly Reservation[] }[] = [];

  private constructor(
    readonly siteId: number,
    readonly rules: ItemRules,
    readonly wanted: ReadonlyMap<number, readonly Reservation[]>,
    readonly owners: Map<string, Owner>,
    /** The reservations that the items have now: SKU → keys. */
    readonly held: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** @param holders all items that may be written */
  static async load(
    trx: Knex.Transaction,
    siteId: number,
    rules: ItemRules,
    holders: readonly Holder[],
  ): Promise<UniqueReservations> {
    if (rules.unique.length === 0) return new UniqueReservations(siteId, rules, new Map(), new Map(), new Map());
    const wanted = new Map(holders.map(({ row, item }) => [row, reservationsOf(item, rules)]));
    const owners = await loadOwners(trx, siteId, [...wanted.values()].flat());
    const skus = holders.map(({ item }) => item.sku);
    return new UniqueReservations(siteId, rules, wanted, owners, await loadHeld(trx, siteId, skus));
  }

  /** Returns a problem for each value of a row that another item has; empty when the row may be written. */
  check({ row, item: { sku } }: Holder): RowProblem[] {
    return (this.wanted.get(row) ?? []).flatMap((reservation) => {
      const owner = this.owners.get(keyOf(reservation.attributeId, reservation.hash));
      return owner === undefined || owner.sku === sku ? [] : [notUnique(this.rules, reservation, owner)];
    });
  }

  /** Reserves the values of a row that is to be written, and releases its former values for the rows that follow. */
  reserve({ row, item: { sku } }: Holder): void {
    const reservations = this.wanted.get(row) ?? [];
    for (const key of this.held.get(sku) ?? []) this.owners.delete(key);
    for (const { attributeId, hash } of reservations) this.owners.set(keyOf(attributeId, hash), { sku, row });
    if (this.rules.unique.length > 0) this.#winners.push({ sku, reservations });
  }

  /** Writes the reservations. */
  store(trx: Knex.Transaction): Promise<void> {
    return storeReservations(trx, this.siteId, this.#winners);
  }
}

function reservationsOf(item: ItemState, rules: ItemRules): Reservation[] {
  const attributes = { ...item.document.parse(), ...JSON.parse(`{${item.extra}}`) };
  return rules.unique.flatMap((position) => {
    const { id } = rules.definition(position);
    const value = attributes[id];
    return value === undefined ? [] : [{ attributeId: id, position, value, hash: hashOfValue(value) }];
  });
}

/** SHA-256 of the canonical value, as Postgres writes bytea in hex. */
export function hashOfValue(value: unknown): string {
  return `\\x${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`;
}

function keyOf(attributeId: string, hash: string): string {
  return `${attributeId} ${hash}`;
}

function notUnique(rules: ItemRules, reservation: Reservation, owner: Owner): RowProblem {
  const { name } = rules.definition(reservation.position);
  const holder = owner.row === null ? `the item "${owner.sku}"` : `row ${owner.row} ("${owner.sku}")`;
  const message = `"${name}" must be unique, and ${holder} has the value ${quoted(reservation.value)} already; give another one`;
  return { code: 'VALUE_NOT_UNIQUE', column: name, message, value: String(reservation.value).slice(0, 200) };
}

async function loadOwners(
  trx: Knex.Transaction,
  siteId: number,
  reservations: readonly Reservation[],
): Promise<Map<string, Owner>> {
  if (reservations.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT owned.attribute_id, owned.value_hash::text AS hash, owned.sku
     FROM jsonb_to_recordset(?::jsonb) AS wanted (a text, h bytea)
     CROSS JOIN LATERAL (
       SELECT * FROM item_unique_value
       WHERE site_id = ? AND attribute_id = wanted.a COLLATE "C" AND value_hash = wanted.h LIMIT 1) AS owned`,
    [JSON.stringify(reservations.map(({ attributeId, hash }) => ({ a: attributeId, h: hash }))), siteId],
  );
  return new Map(
    result.rows.map((row: { attribute_id: string; hash: string; sku: string }) => [
      keyOf(row.attribute_id, row.hash),
      { sku: row.sku, row: null },
    ]),
  );
}

/** @returns SKU → keys of the reservations that the item has now */
async function loadHeld(
  trx: Knex.Transaction,
  siteId: number,
  skus: readonly string[],
): Promise<Map<string, string[]>> {
  if (skus.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT sku, array_agg(attribute_id || ' ' || value_hash::text) AS keys FROM item_unique_value
     WHERE site_id = ? AND sku = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb) COLLATE "C")) GROUP BY sku`,
    [siteId, JSON.stringify(skus)],
  );
  return new Map(result.rows.map((row: { sku: string; keys: string[] }) => [row.sku, row.keys]));
}

async function storeReservations(
  trx: Knex.Transaction,
  siteId: number,
  winners: readonly { readonly sku: string; readonly reservations: readonly Reservation[] }[],
): Promise<void> {
  if (winners.length === 0) return;
  await trx.raw(
    `DELETE FROM item_unique_value
     WHERE site_id = ? AND sku = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb) COLLATE "C"))`,
    [siteId, JSON.stringify(winners.map(({ sku }) => sku))],
  );
  const rows = winners.flatMap(({ sku, reservations }) =>
    reservations.map(({ attributeId, hash }) => ({ a: attributeId, h: hash, s: sku })),
  );
  if (rows.length === 0) return;
  await trx.raw(
    `INSERT INTO item_unique_value (site_id, attribute_id, value_hash, sku)
     SELECT ?, a, h, s FROM jsonb_to_recordset(?::jsonb) AS reservation (a text, h bytea, s text) ORDER BY a, h`,
    [siteId, JSON.stringify(rows)],
  );
}
