/** The client credentials grant of RFC 6749 §4.4, without HTTP. */
import type { Db } from '../../../db/connection.js';
import { OauthClient } from '../../../db/models/oauth-client.js';
import { DomainError } from '../kernel/errors.js';
import { type Actor, type AuditEntry, recordAudit } from './audit.js';
import { authenticateClient, grantedTokenName } from './clients.js';
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
export async function grantToken(
  db: Db,
  request: GrantRequest,
  now: Date,
  from: Pick<Actor, 'address' | 'requestId'>,
): Promise<{ token: string; scope: string }> {
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
  return db.transaction(async (trx) => {
    const { id, token } = await createToken(trx, {
      accountId: client.accountId,
      name: grantedTokenName(client.clientId),
      scopes,
      expiresAt: new Date(now.getTime() + GRANTED_TOKEN_SECONDS * 1000),
    });
    const actor = { kind: 'client', id: client.clientId, ...from } as const;
    await recordAudit(trx, [{ actor, accountId: client.accountId, action: 'TOKEN_GRANTED', target: `token/${id}` }]);
    return { token, scope: scopes.join(' ') };
  });
}

/** What the audit log says of a grant that was refused: the client is named only if there is one. */
export async function refusedGrant(
  db: Db,
  clientId: string,
  from: Pick<Actor, 'address' | 'requestId'>,
  code: string,
): Promise<AuditEntry> {
  const client = await OauthClient.query(db).findById(clientId);
  const actor = { kind: client === undefined ? 'anonymous' : 'client', id: client?.id ?? null, ...from } as const;
  return { actor, accountId: client?.account_id ?? null, action: 'TOKEN_REFUSED', target: null, result: code };
}
