/** Loads and stores the reservations of unique values. */
import type { Knex } from 'knex';

export interface Reservation {
  readonly attributeId: string;
  readonly position: number;
  readonly value: unknown;
  readonly hash: string;
}

export interface Owner {
  readonly sku: string;
  /** The row of this chunk that reserved the value; null when it was reserved before. */
  readonly row: number | null;
}

export function keyOf(attributeId: string, hash: string): string {
  return `${attributeId} ${hash}`;
}

export async function loadOwners(
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

/** @returns key → the first deferred row of the job that waits for the value; usually no row does */
export async function loadAwaited(
  trx: Knex.Transaction,
  jobId: string,
  reservations: readonly Reservation[],
): Promise<Map<string, number>> {
  if (reservations.length === 0) return new Map();
  if ((await trx('unique_wait').where({ job_id: jobId }).first('row_no')) === undefined) return new Map();
  const result = await trx.raw(
    `SELECT awaited.attribute_id, awaited.value_hash::text AS hash, awaited.row_no
     FROM jsonb_to_recordset(?::jsonb) AS wanted (a text, h bytea)
     CROSS JOIN LATERAL (
       SELECT * FROM unique_wait
       WHERE job_id = ? AND attribute_id = wanted.a COLLATE "C" AND value_hash = wanted.h LIMIT 1) AS awaited`,
    [JSON.stringify(reservations.map(({ attributeId, hash }) => ({ a: attributeId, h: hash }))), jobId],
  );
  return new Map(
    result.rows.map((row: { attribute_id: string; hash: string; row_no: number }) => [
      keyOf(row.attribute_id, row.hash),
      row.row_no,
    ]),
  );
}

/** @param failed rows that wait for nothing any more */
export async function storeAwaited(
  trx: Knex.Transaction,
  jobId: string,
  failed: readonly number[],
  awaited: readonly { readonly row: number; readonly reservation: Reservation }[],
): Promise<void> {
  if (failed.length > 0) {
    await trx.raw(
      'DELETE FROM unique_wait WHERE job_id = ? AND row_no = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb)::integer))',
      [jobId, JSON.stringify(failed)],
    );
  }
  if (awaited.length === 0) return;
  const rows = awaited.map(({ row, reservation: { attributeId, hash } }) => ({ a: attributeId, h: hash, r: row }));
  await trx.raw(
    `INSERT INTO unique_wait (job_id, attribute_id, value_hash, row_no)
     SELECT ?, a, h, min(r) FROM jsonb_to_recordset(?::jsonb) AS awaited (a text, h bytea, r integer)
     GROUP BY a, h ORDER BY a, h ON CONFLICT ON CONSTRAINT unique_wait_pk DO NOTHING`,
    [jobId, JSON.stringify(rows)],
  );
}

/** @returns SKU → keys of the reservations that the item has now */
export async function loadHeld(
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

export async function storeReservations(
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
