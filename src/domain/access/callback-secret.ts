/**
 * The secret that signs the job callbacks of an account. It is created on first use, stored sealed, and can be rotated.
 */
import type { Db } from '../../../db/connection.js';
import { Account } from '../../../db/models/account.js';
import { withRetries } from '../../../db/with-retries.js';
import { DomainError } from '../kernel/errors.js';
import { sealSecret, unlessLost, unsealSecret } from './sealed-secret.js';
import { newSigningSecret, SECRET_OVERLAP_MS } from './signing-secret.js';

/**
 * Returns the secrets that sign the callbacks of an account now, newest first.
 * @throws DomainError not-found; UnsealError
 */
export async function callbackSecrets(
  db: Db,
  secretsKeys: readonly string[],
  accountId: string,
  now = new Date(),
): Promise<string[]> {
  const account = await withCallbackSecret(db, secretsKeys, accountId);
  const { callback_secret, previous_callback_secret, previous_callback_secret_until } = account;
  const previousSigns = previous_callback_secret_until !== null && previous_callback_secret_until > now;
  return [callback_secret, previousSigns ? previous_callback_secret : null].flatMap((sealed) =>
    sealed === null ? [] : [unsealSecret(secretsKeys, placeOf(accountId), sealed)],
  );
}

/**
 * Replaces the secret; the previous one also signs for a day, unless no key opens it any more.
 * @returns the new one
 * @throws DomainError not-found
 */
export function rotateCallbackSecret(db: Db, secretsKeys: readonly string[], accountId: string): Promise<string> {
  return withRetries(db, async (trx) => {
    const before = await Account.query(trx).findById(accountId).forUpdate();
    if (before === undefined) throw noSuchAccount(accountId);
    const secret = newSigningSecret();
    const { callback_secret: sealed } = before;
    const isLost =
      sealed === null || unlessLost(() => unsealSecret(secretsKeys, placeOf(accountId), sealed)) === undefined;
    await Account.query(trx)
      .findById(accountId)
      .patch({
        callback_secret: sealSecret(secretsKeys, placeOf(accountId), secret),
        previous_callback_secret: isLost ? null : sealed,
        previous_callback_secret_until: isLost ? null : new Date(Date.now() + SECRET_OVERLAP_MS),
      });
    return secret;
  });
}

/** Creates the secret if there is none. If two requests do so at the same time, only the first one writes. */
async function withCallbackSecret(db: Db, secretsKeys: readonly string[], accountId: string): Promise<Account> {
  const account = await Account.query(db).findById(accountId);
  if (account === undefined) throw noSuchAccount(accountId);
  if (account.callback_secret !== null) return account;
  const made = sealSecret(secretsKeys, placeOf(accountId), newSigningSecret());
  await Account.query(db).findById(accountId).whereNull('callback_secret').patch({ callback_secret: made });
  return Account.query(db).findById(accountId).throwIfNotFound();
}

function placeOf(accountId: string): string {
  return `account ${accountId} callback_secret`;
}

function noSuchAccount(id: string): DomainError {
  return new DomainError('not-found', 'ACCOUNT_NOT_FOUND', `there is no account ${id}`);
}
