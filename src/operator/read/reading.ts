/** Reads for operators: none writes, and none takes long, whatever waits. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../../domain/kernel/errors.js';

/** A page that takes longer is of no use, and its statements would keep a connection from requests. */
const STATEMENT_MS = 5_000;
const CANCELLED = '57014';

/** Runs reads in a transaction that can write nothing. @throws DomainError unprocessable when one takes too long */
export async function reading<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(
      async (trx) => {
        await trx.raw(`SET LOCAL statement_timeout = ${STATEMENT_MS}`);
        return work(trx);
      },
      { readOnly: true },
    );
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== CANCELLED) throw error;
    const message = `the search took longer than ${STATEMENT_MS / 1000} s and was ended; name an account as well`;
    throw new DomainError('unprocessable', 'SEARCH_TOO_WIDE', message);
  }
}

/** The rows of a statement with named bindings. */
export async function rowsOf<Row>(trx: Db, sql: string, bindings: Record<string, Knex.Value> = {}): Promise<Row[]> {
  const { rows } = await trx.raw<{ rows: Row[] }>(sql, bindings);
  return rows;
}

/** Whose something is. */
export interface Owner {
  readonly accountId: string;
  readonly accountName: string;
  readonly stage: string;
}

/** Accounts that one search means. */
const MOST_ACCOUNTS = 20;

/** SQL: whether a column is the name `:account`, in upper or lower case, however its accents are written. */
export function isAccountName(column: string): string {
  return `lower(normalize(${column})) = lower(normalize(:account))`;
}

/** The ids of the accounts with this id or name. */
export async function accountIdsOf(trx: Db, account: string): Promise<readonly string[]> {
  const rows = await rowsOf<{ id: string }>(
    trx,
    `SELECT id FROM account WHERE id = :account OR ${isAccountName('name')} ORDER BY id LIMIT :most`,
    { account, most: MOST_ACCOUNTS },
  );
  return rows.map(({ id }) => id);
}
