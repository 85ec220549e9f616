/** Creates, lists, revokes and prunes bearer tokens. A token is shown once and never stored. */

import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { AccessToken } from '../../../db/models/access-token.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { checkedName, requireAccount } from './accounts.js';
import { ACCOUNT_SCOPES, isAccountScope, OPERATOR_SCOPE } from './scopes.js';

interface TokenView {
  readonly id: string;
  /** Null: a token of an operator. */
  readonly accountId: string | null;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

interface NewToken {
  /** Null: a token of an operator, which gives access only to the operator routes. */
  readonly accountId: string | null;
  readonly name: string;
  /** Default: every scope of an account, or `operator`. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
}

/** How long expired tokens are kept. */
const KEEP_EXPIRED_MS = 24 * 3_600_000;

/** Creates a token. @throws DomainError invalid (scopes, name) or not-found (account) */
export async function createToken(db: Db, input: NewToken): Promise<TokenView & { token: string }> {
  const name = checkedName(input.name);
  const scopes = checkedScopes(input.accountId, input.scopes);
  if (input.accountId !== null) await requireAccount(db, input.accountId);
  const token = newSecret('lst');
  const row = await AccessToken.query(db)
    .insert({
      id: newId(),
      digest: digestSecret(token),
      account_id: input.accountId,
      name,
      scopes,
      expires_at: input.expiresAt ?? null,
    })
    .returning('*');
  return { ...viewOf(row), token };
}

/** Lists the tokens of an account, or (null) of operators, oldest first, including revoked and expired ones. */
export async function listTokens(db: Db, accountId: string | null): Promise<TokenView[]> {
  const rows = await AccessToken.query(db).where({ account_id: accountId }).orderBy(['created_at', 'id']);
  return rows.map(viewOf);
}

/** Revokes a token; processes stop accepting it within seconds. May be called again. @throws DomainError not-found */
export async function revokeToken(db: Db, id: string): Promise<TokenView> {
  await AccessToken.query(db).findById(id).whereNull('revoked_at').patch({ revoked_at: new Date() });
  const row = await AccessToken.query(db).findById(id);
  if (row === undefined) throw new DomainError('not-found', 'TOKEN_NOT_FOUND', `there is no token ${id}`);
  return viewOf(row);
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

/** @throws DomainError invalid; its message names the unknown scope */
export function checkedScopes(accountId: string | null, scopes: readonly string[] | undefined): string[] {
  if (accountId === null) {
    if (scopes?.some((scope) => scope !== OPERATOR_SCOPE)) {
      throw new DomainError('invalid', 'SCOPE', `an operator's token has the scope ${OPERATOR_SCOPE} and no other`);
    }
    return [OPERATOR_SCOPE];
  }
  const wanted = [...new Set(scopes ?? ACCOUNT_SCOPES)];
  const unknown = wanted.find((scope) => !isAccountScope(scope));
  if (unknown !== undefined || wanted.length === 0) {
    throw new DomainError(
      'invalid',
      'SCOPE',
      `${unknown === undefined ? 'no scope is given' : `"${unknown}" is not a scope of an account`}; the scopes are ${ACCOUNT_SCOPES.join(', ')}`,
    );
  }
  return wanted;
}

function viewOf(row: AccessToken): TokenView {
  const { id, name, scopes } = row;
  return {
    id,
    accountId: row.account_id,
    name,
    scopes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

// Secrets that are shown once and stored as digests: 256 random bits need no slow hash

/** Creates a random secret. Its prefix shows secret scanners and people what it is. */
export function newSecret(prefix: 'lst' | 'lss'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** The digest of a secret, which is stored instead of it. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}
