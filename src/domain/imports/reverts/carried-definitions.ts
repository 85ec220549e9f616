/** Rows that carry definitions over from another stage: what stays of a definition that is there, and what a new one begins with. */
import type { Knex } from 'knex';
import type { Image } from '../../changes/model/definition-image.js';
import type { DefinitionRow } from './definition-row.js';

/**
 * The rows with all that the definitions are to be.
 * @param present `kind key` → the definition as it is now
 */
export async function completedRows(
  trx: Knex.Transaction,
  siteId: number,
  rows: readonly DefinitionRow[],
  present: ReadonlyMap<string, Image>,
): Promise<DefinitionRow[]> {
  const isNew = ({ kind, key, before }: DefinitionRow) =>
    kind === 'attribute' && before !== null && !present.has(`${kind} ${key}`);
  let position = rows.some((row) => row.carried && isNew(row)) ? await lastPosition(trx, siteId) : 0;
  return rows.map((row): DefinitionRow => {
    const { kind, key, before, carried } = row;
    if (carried === undefined || before === null) return row;
    const there = present.get(`${kind} ${key}`);
    if (there !== undefined) return { ...row, before: { ...there, ...before } };
    const order = isNew(row) ? { position: ++position } : {};
    return { ...row, before: { ...order, ...carried.initial, ...before } };
  });
}

/** New attributes come after those that the stage has. */
async function lastPosition(trx: Knex.Transaction, siteId: number): Promise<number> {
  const [row] = await trx('attribute').where({ site_id: siteId }).max<{ max: number | null }[]>('position AS max');
  return row?.max ?? 0;
}
