/** Seals again, under the newest key, what an older one sealed, so that the older can be taken off the list. */
import type { Db } from '../../../db/connection.js';
import { isSealedWithNewest, sealSecret, unsealSecret } from './sealed-secret.js';

const BATCH = 500;

/** Where sealed secrets are, and what place they are sealed for: `<table> <id> <place>`. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly place: string;
}

const OF_ACCOUNTS: readonly SealedColumn[] = [
  { table: 'account', column: 'callback_secret', place: 'callback_secret' },
  { table: 'account', column: 'previous_callback_secret', place: 'callback_secret' },
];

/** Seals the secrets of all accounts under the newest key. @returns how many were sealed again @throws UnsealError */
export function resealAccountSecrets(db: Db, secretsKeys: readonly string[]): Promise<number> {
  return resealColumns(db, secretsKeys, OF_ACCOUNTS);
}

/** Safe to run at any time, and to run again. @returns how many were sealed again @throws UnsealError */
export async function resealColumns(
  db: Db,
  secretsKeys: readonly string[],
  columns: readonly SealedColumn[],
): Promise<number> {
  let resealed = 0;
  for (const column of columns) resealed += await resealColumn(db, secretsKeys, column);
  return resealed;
}

async function resealColumn(
  db: Db,
  secretsKeys: readonly string[],
  { table, column, place }: SealedColumn,
): Promise<number> {
  let resealed = 0;
  for (let after = ''; ; ) {
    const rows: { id: string; sealed: string }[] = await db(table)
      .where('id', '>', after)
      .whereNotNull(column)
      .orderBy('id')
      .limit(BATCH)
      .select('id', { sealed: column });
    for (const { id, sealed } of rows) {
      if (isSealedWithNewest(secretsKeys, sealed)) continue;
      const at = `${table} ${id} ${place}`;
      const again = sealSecret(secretsKeys, at, unsealSecret(secretsKeys, at, sealed));
      // Replaced meanwhile: the new one is sealed with the newest key already.
      resealed += await db(table)
        .where({ id, [column]: sealed })
        .update({ [column]: again });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return resealed;
    after = last.id;
  }
}
