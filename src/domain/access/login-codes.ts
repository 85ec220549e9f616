/** Codes of links that log in once. A code stands for a token, which it does not reveal, and is stored as a digest. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { digestSecret, newSecret, type SecretPrefix } from './secret-digests.js';

/** How long the link is valid that a command or `npm start` prints. */
export const LOGIN_LINK_MINUTES = 15;
/** How long codes are kept that have expired: from them one sees whether somebody has accepted an invitation. */
const KEEP_EXPIRED_MS = 30 * 24 * 3_600_000;

/** Of links for people and programs, and of those for receivers: neither is accepted as the other. */
type CodePrefix = Extract<SecretPrefix, 'lsc' | 'lsl'>;
const CODE = /^(lsc|lsl)_[A-Za-z0-9_-]{43}$/;

interface LoginCode {
  readonly code: string;
  readonly expiresAt: Date;
}

/**
 * Makes a code. The codes of the token that were not used yet are not valid any more; of the others the newest is kept, so
 * that a token has few.
 */
export async function makeLoginCode(
  trx: Knex.Transaction,
  tokenId: string,
  minutes: number,
  prefix: CodePrefix = 'lsc',
): Promise<LoginCode> {
  const code = newSecret(prefix);
  await trx.raw(
    `DELETE FROM login_code WHERE token_id = ? AND (used_at IS NULL OR id <> (
       SELECT id FROM login_code WHERE token_id = ? AND used_at IS NOT NULL ORDER BY used_at DESC LIMIT 1))`,
    [tokenId, tokenId],
  );
  const [row] = await trx('login_code')
    .insert({
      id: newId(),
      digest: digestSecret(code),
      token_id: tokenId,
      expires_at: trx.raw("now() + ? * interval '1 minute'", [minutes]),
    })
    .returning('expires_at');
  return { code, expiresAt: row.expires_at };
}

/** The address that logs in. The code is in the fragment, which browsers send to nobody, so that it is in no log. */
export function loginLink(publicUrl: string, code: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/console/#code=${code}`;
}

/** The address that opens what a receiver sees. No stage has a name with this sign. */
export function receiverLink(publicUrl: string, code: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/console/~receiver#code=${code}`;
}

/**
 * Uses a code, and answers the token for which it stands. Of several uses at the same time, the others wait for the end of
 * this transaction, and are then refused.
 * @throws DomainError unauthorized, in the same words whatever is wrong with it
 */
export async function useLoginCode(
  trx: Knex.Transaction,
  code: string,
  prefix: CodePrefix = 'lsc',
): Promise<{ readonly tokenId: string; readonly accountId: string }> {
  const found = CODE.exec(code)?.[1] === prefix ? await take(trx, code, prefix) : undefined;
  if (found !== undefined) return { tokenId: found.token_id, accountId: found.account_id };
  const message = 'this link was used, has expired or does not exist: ask for a new one';
  throw new DomainError('unauthorized', 'LOGIN_CODE_REFUSED', message);
}

async function take(
  trx: Knex.Transaction,
  code: string,
  prefix: CodePrefix,
): Promise<{ readonly token_id: string; readonly account_id: string } | undefined> {
  const { rows } = await trx.raw<{ rows: { token_id: string; account_id: string }[] }>(
    `UPDATE login_code SET used_at = now() FROM access_token
     WHERE login_code.digest = ? AND login_code.used_at IS NULL AND login_code.expires_at > now()
       AND access_token.id = login_code.token_id AND access_token.account_id IS NOT NULL
       AND access_token.revoked_at IS NULL AND (access_token.webhook_id IS NOT NULL) = ?
       AND (access_token.expires_at IS NULL OR access_token.expires_at > now())
     RETURNING login_code.token_id, access_token.account_id`,
    [digestSecret(code), prefix === 'lsl'],
  );
  return rows[0];
}

/** Makes all codes worthless that were not used: a backup contains some that were used since. */
export async function expireLoginCodes(db: Db): Promise<void> {
  await db('login_code')
    .where({ used_at: null })
    .where('expires_at', '>', db.fn.now())
    .update({ expires_at: db.fn.now() });
}

/** Deletes the codes that expired long ago, and returns how many. Two processes may run it at the same time. */
export function pruneLoginCodes(db: Db, now: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM login_code WHERE id IN (
         SELECT id FROM login_code WHERE expires_at < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [new Date(now.getTime() - KEEP_EXPIRED_MS), limit],
    );
    return rowCount;
  });
}
