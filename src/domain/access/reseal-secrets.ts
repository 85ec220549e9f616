/** Seals secrets again under the newest key, so that older keys can be removed from SECRETS_KEY. */
import type { Db } from '../../../db/connection.js';
import { isSealedWithNewest, sealSecret, unlessLost, unsealSecret } from './sealed-secret.js';

const BATCH = 500;

/** A column of sealed secrets. Each is sealed for a place, `<table> <id> <place>`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly place: string;
  /** The table of the place, and the column with its id, if the secrets were copied from there. */
  readonly sealedFor?: { readonly table: string; readonly id: string } | undefined;
}

export const SECRETS_OF_ACCOUNTS: readonly SealedColumn[] = [
  { table: 'account', column: 'callback_secret', place: 'callback_secret' },
  { table: 'account', column: 'previous_callback_secret', place: 'callback_secret' },
];

interface Resealed {
  readonly resealed: number;
  /** How many stay as they are, because none of the keys opens them. */
  readonly unopened: number;
}

/** May run at any time, and more than once. What no key opens does not keep it from the rest. */
export async function resealColumns(
  db: Db,
  secretsKeys: readonly string[],
  columns: readonly SealedColumn[],
): Promise<Resealed> {
  const sum = { resealed: 0, unopened: 0 };
  for (const column of columns) {
    const { resealed, unopened } = await resealColumn(db, secretsKeys, column);
    sum.resealed += resealed;
    sum.unopened += unopened;
  }
  return sum;
}

async function resealColumn(
  db: Db,
  secretsKeys: readonly string[],
  { table, column, place, sealedFor = { table, id: 'id' } }: SealedColumn,
): Promise<Resealed> {
  let resealed = 0;
  let unopened = 0;
  for (let after = ''; ; ) {
    const rows: { id: string; of: string; sealed: string }[] = await db(table)
      .where('id', '>', after)
      .whereNotNull(column)
      .orderBy('id')
      .limit(BATCH)
      .select('id', { of: sealedFor.id, sealed: column });
    for (const { id, of, sealed } of rows) {
      if (isSealedWithNewest(secretsKeys, sealed)) continue;
      const at = `${sealedFor.table} ${of} ${place}`;
      const secret = unlessLost(() => unsealSecret(secretsKeys, at, sealed));
      if (secret === undefined) {
        unopened++;
        continue;
      }
      const again = sealSecret(secretsKeys, at, secret);
      // A secret that was replaced in the meantime does not match: it is already sealed under the newest key.
      resealed += await db(table)
        .where({ id, [column]: sealed })
        .update({ [column]: again });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return { resealed, unopened };
    after = last.id;
  }
}
