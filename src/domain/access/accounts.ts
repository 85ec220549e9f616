/** Accounts, which operators create and list. */
import type { Db } from '../../../db/connection.js';
import { Account } from '../../../db/models/account.js';
import { DomainError } from '../kernel/errors.js';
import { isId, newId } from '../kernel/identifier.js';

/** What becomes of the jobs behind a FAILED job of the same site: they go on, or wait until they are resumed. */
type AfterFailure = Account['after_failure'];

interface AccountView {
  readonly id: string;
  readonly name: string;
  readonly afterFailure: AfterFailure;
  readonly createdAt: Date;
}

const MAX_NAME_CHARACTERS = 255;

/**
 * Creates an account. `id` is for installations that have their own 24-character identifiers.
 * @throws DomainError invalid (name, id) or conflict (the id is in use)
 */
export async function createAccount(db: Db, input: { name: string; id?: string | undefined }): Promise<AccountView> {
  const name = checkedName(input.name);
  const id = input.id ?? newId();
  if (!isId(id)) {
    throw new DomainError('invalid', 'ACCOUNT_ID', `an account's id is 24 lowercase hex characters, not "${id}"`);
  }
  const inserted = await Account.query(db).insert({ id, name }).onConflict('id').ignore().returning('*');
  if (inserted?.created_at === undefined)
    throw new DomainError('conflict', 'ACCOUNT_EXISTS', `account ${id} exists already`);
  return viewOf(inserted);
}

/** All accounts, the oldest first. */
export async function listAccounts(db: Db): Promise<AccountView[]> {
  return (await Account.query(db).orderBy(['created_at', 'id'])).map(viewOf);
}

/** Applies to jobs that fail from now on. @throws DomainError not-found */
export async function chooseAfterFailure(db: Db, id: string, choice: AfterFailure): Promise<AccountView> {
  await Account.query(db).findById(id).patch({ after_failure: choice });
  return requireAccount(db, id);
}

/** @throws DomainError not-found */
export async function requireAccount(db: Db, id: string): Promise<AccountView> {
  const account = await Account.query(db).findById(id);
  if (account === undefined) throw new DomainError('not-found', 'ACCOUNT_NOT_FOUND', `there is no account ${id}`);
  return viewOf(account);
}

/** Trims a name, which people read, and checks its length. @throws DomainError invalid */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > MAX_NAME_CHARACTERS || trimmed.includes('\u0000')) {
    throw new DomainError('invalid', 'NAME', `a name has 1 to ${MAX_NAME_CHARACTERS} characters`);
  }
  return trimmed;
}

function viewOf({ id, name, after_failure, created_at }: Account): AccountView {
  return { id, name, afterFailure: after_failure, createdAt: created_at };
}
