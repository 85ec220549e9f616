/** Links to the console for those who can reach the database: operators on the machine, and `npm start`. */
import type { Knex } from 'knex';
import { DomainError } from '../kernel/errors.js';
import { requireAccount } from './accounts.js';
import { type Actor, recordAudit } from './audit.js';
import { LOGIN_LINK_MINUTES, loginLink, makeLoginCode } from './login-codes.js';
import { createToken } from './tokens.js';

interface ConsoleLink {
  readonly link: string;
  readonly expiresAt: Date;
  readonly tokenId: string;
  readonly accountId: string;
}

/** The name of the token whose sessions these links open, unless another one is named. */
const TOKEN_NAME = 'console';

/**
 * Makes a link that logs in once.
 * @param tokenId whose session it opens; undefined: the account's token named "console", which is made if there is none
 * @throws DomainError not-found (the account, or a token of it that is valid)
 */
export async function makeConsoleLink(
  trx: Knex.Transaction,
  publicUrl: string,
  accountId: string,
  tokenId: string | undefined,
  actor: Actor,
): Promise<ConsoleLink> {
  await requireAccount(trx, accountId);
  const id = (await validToken(trx, accountId, tokenId)) ?? (await consoleToken(trx, accountId, actor));
  const { code, expiresAt } = await makeLoginCode(trx, id, LOGIN_LINK_MINUTES);
  await recordAudit(trx, [{ actor, accountId, action: 'LOGIN_LINK_CREATED', target: `token/${id}` }]);
  return { link: loginLink(publicUrl, code), expiresAt, tokenId: id, accountId };
}

async function validToken(
  trx: Knex.Transaction,
  accountId: string,
  tokenId: string | undefined,
): Promise<string | undefined> {
  // A person may have this name, too, and logs in as nobody else; receivers have links of their own.
  const named = tokenId === undefined ? { name: TOKEN_NAME, role: null } : { id: tokenId };
  const found = await trx('access_token')
    .where({ account_id: accountId, revoked_at: null, webhook_id: null, ...named })
    .whereRaw('(expires_at IS NULL OR expires_at > now())')
    .orderBy('created_at')
    .first('id');
  if (found !== undefined || tokenId === undefined) return found?.id;
  throw new DomainError('not-found', 'TOKEN_NOT_FOUND', `account ${accountId} has no valid token ${tokenId}`);
}

async function consoleToken(trx: Knex.Transaction, accountId: string, actor: Actor): Promise<string> {
  const { id } = await createToken(trx, { accountId, name: TOKEN_NAME });
  await recordAudit(trx, [{ actor, accountId, action: 'TOKEN_CREATED', target: `token/${id}` }]);
  return id;
}
