/** Creates, lists, revokes and prunes bearer tokens. A token is shown once and never stored. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { AccessToken } from '../../../db/models/access-token.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { checkedName, requireAccount } from './accounts.js';
import { checkedScopes } from './checked-scopes.js';
import { scopesOf } from './roles.js';
import { digestSecret, newSecret } from './secret-digests.js';

interface TokenView {
  readonly id: string;
  /** Null: a token of an operator. */
  readonly accountId: string | null;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute; null: never, or before this was recorded. */
  readonly lastUsedAt: Date | null;
}

interface NewToken {
  /** Null: a token of an operator, which gives access only to the operator routes. */
  readonly accountId: string | null;
  readonly name: string;
  /** Default: every scope of an account, or `operator`. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
  /** That of a person. Its scopes are stored for releases that do not know the role. */
  readonly role?: string | undefined;
  /** Of a partner: the definition whose deliveries it receives. */
  readonly receives?: { readonly webhookId: string; readonly mayReplay: boolean } | undefined;
}

/** How long expired tokens are kept. */
const KEEP_EXPIRED_MS = 24 * 3_600_000;

/** Creates a token. @throws DomainError invalid (scopes, name) or not-found (account) */
export async function createToken(db: Db, input: NewToken): Promise<TokenView & { token: string }> {
  const name = checkedName(input.name);
  const scopes = input.receives === undefined ? checkedScopes(input.accountId, input.scopes) : [];
  if (input.accountId !== null) await requireAccount(db, input.accountId);
  const token = newSecret('lst');
  const row = await AccessToken.query(db)
    .insert({
      id: newId(),
      digest: digestSecret(token),
      account_id: input.accountId,
      name,
      scopes,
      role: input.role ?? null,
      webhook_id: input.receives?.webhookId ?? null,
      may_replay: input.receives?.mayReplay ?? null,
      expires_at: input.expiresAt ?? null,
    })
    .returning('*');
  return { ...tokenView(row), token };
}

/** Lists the tokens of an account, or (null) of operators, oldest first, including revoked and expired ones. */
export async function listTokens(db: Db, accountId: string | null): Promise<TokenView[]> {
  const rows = await AccessToken.query(db).where({ account_id: accountId }).orderBy(['created_at', 'id']);
  return rows.map(tokenView);
}

/** Revokes a token; processes stop accepting it within seconds. May be called again. @throws DomainError not-found */
export async function revokeToken(db: Db, id: string): Promise<TokenView> {
  await AccessToken.query(db).findById(id).whereNull('revoked_at').patch({ revoked_at: new Date() });
  const row = await AccessToken.query(db).findById(id);
  if (row === undefined) throw new DomainError('not-found', 'TOKEN_NOT_FOUND', `there is no token ${id}`);
  return tokenView(row);
}

/** Deletes the tokens that expired long ago, and returns how many. Two processes may run it at the same time. */
export function pruneTokens(db: Db, now: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM access_token WHERE id IN (
         SELECT id FROM access_token WHERE expires_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [new Date(now.getTime() - KEEP_EXPIRED_MS), limit],
    );
    return rowCount;
  });
}

function tokenView(row: AccessToken): TokenView {
  const { id, name } = row;
  return {
    id,
    accountId: row.account_id,
    name,
    scopes: scopesOf(row),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
