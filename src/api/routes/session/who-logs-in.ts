/** Finds out who logs in: by a token, by the code of a link, or by what the identity provider says. */
import type { Knex } from 'knex';
import type { Context } from 'koa';
import type { Actor } from '../../../domain/access/audit.js';
import { useLoginCode } from '../../../domain/access/login-codes.js';
import type { AccountPrincipal } from '../../../domain/access/principals.js';
import { admitPerson, endLostAccess } from '../../../domain/access/provider-people.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import type { ApiServices } from '../../services.js';
import { sentSecret } from '../../session-cookie.js';
import { redirectUri, requireProvider } from './begin-provider-login.js';

interface Whose {
  readonly tokenId: string;
  readonly accountId: string;
}

interface Login {
  readonly token?: string | undefined;
  readonly code?: string | undefined;
  readonly callback?: string | undefined;
  readonly account?: string | undefined;
}

/**
 * Does what needs no transaction.
 * @returns does the rest, in the transaction that begins the session
 * @throws DomainError, as does what it returns
 */
export async function whoLogsIn(
  { token, code = '', callback, account }: Login,
  koa: Context,
  services: ApiServices,
  from: Pick<Actor, 'address' | 'requestId'>,
): Promise<(trx: Knex.Transaction) => Promise<Whose>> {
  if (token !== undefined) {
    const principal = await principalOf(token, services);
    return async () => principal;
  }
  if (callback === undefined) return (trx) => useLoginCode(trx, code);
  const { db, publicUrl } = services;
  const provider = requireProvider(services);
  const { roles, name } = provider.config;
  const identity = await provider.identify(
    redirectUri(publicUrl()),
    callback,
    sentSecret(koa.req, publicUrl(), 'login'),
  );
  await endLostAccess(db, identity, roles);
  return (trx) => admitPerson(trx, identity, { roles, provider: name, account, from });
}

/** @throws DomainError unauthorized, or forbidden for the token of an operator */
async function principalOf(token: string, { tokens }: ApiServices): Promise<AccountPrincipal> {
  const principal = await tokens.authenticate(token);
  if (principal === null) {
    throw new DomainError('unauthorized', 'UNAUTHORIZED', 'the token is unknown, expired or revoked');
  }
  if (principal.kind === 'account') return principal;
  const message = "an operator's token belongs to no account: use it as the password of /admin";
  throw new DomainError('forbidden', 'FORBIDDEN', message);
}
