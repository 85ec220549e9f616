/** The client credentials grant of RFC 6749 §4.4, without HTTP. */
import type { Db } from '../../../db/connection.js';
import { DomainError } from '../kernel/errors.js';
import { authenticateClient, grantedTokenName } from './authenticate.js';
import { createToken } from './tokens.js';

export const GRANTED_TOKEN_SECONDS = 600;

interface GrantRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces; undefined: all scopes of the client. */
  readonly scope: string | undefined;
}

/**
 * Creates a token of the client's account that is valid for ten minutes.
 * @throws DomainError `unauthorized` invalid_client, or `invalid` invalid_scope (codes of RFC 6749 §5.2)
 */
export async function grantToken(db: Db, request: GrantRequest, now: Date): Promise<{ token: string; scope: string }> {
  const client = await authenticateClient(db, request.clientId, request.clientSecret);
  if (client === null) throw new DomainError('unauthorized', 'invalid_client', 'unknown client, or wrong secret');
  const wanted = request.scope?.split(' ').filter((scope) => scope !== '') ?? [];
  const refused = wanted.find((scope) => !client.scopes.includes(scope));
  if (refused !== undefined) {
    throw new DomainError(
      'invalid',
      'invalid_scope',
      `this client does not have the scope ${refused}; it has ${client.scopes.join(' ')}`,
    );
  }
  const scopes = wanted.length > 0 ? wanted : client.scopes;
  const { token } = await createToken(db, {
    accountId: client.accountId,
    name: grantedTokenName(client.clientId),
    scopes,
    expiresAt: new Date(now.getTime() + GRANTED_TOKEN_SECONDS * 1000),
  });
  return { token, scope: scopes.join(' ') };
}
