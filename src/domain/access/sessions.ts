/** Sessions of browsers. A session is bound to a token, whose scopes it has, and its secret is stored as a digest. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { newId } from '../kernel/identifier.js';
import { scopesOf } from './roles.js';
import { digestSecret, newSecret } from './secret-digests.js';

/** How long sessions are valid. */
export interface SessionTimes {
  /** Since its last use. */
  readonly idleHours: number;
  /** Since its beginning. */
  readonly days: number;
}

export interface SessionView {
  readonly id: string;
  readonly tokenId: string;
  readonly accountId: string;
  /** That of the token. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  readonly idleExpiresAt: Date;
  /** At the latest when its token expires. */
  readonly expiresAt: Date;
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** Sessions of one token that are kept; of more, those end that were not used for the longest time, after those that have ended. */
const MAX_SESSIONS = 100;
const MAX_USER_AGENT_CHARACTERS = 300;
const MAX_LISTED = 1_000;
/** How long sessions are kept that have ended or expired. */
const KEEP_ENDED_MS = 24 * 3_600_000;

const UNTIL = "least(session.expires_at, session.last_used_at + session.idle_seconds * interval '1 second')";

/** Begins a session with a new secret, which is not shown again. @param prefix `lsr`: that of a receiver */
export async function startSession(
  trx: Knex.Transaction,
  tokenId: string,
  { idleHours, days }: SessionTimes,
  { userAgent, address }: Pick<SessionView, 'userAgent' | 'address'>,
  prefix: 'lsn' | 'lsr' = 'lsn',
): Promise<{ readonly id: string; readonly secret: string }> {
  const [id, secret] = [newId(), newSecret(prefix)];
  await trx('session').insert({
    id,
    digest: digestSecret(secret),
    token_id: tokenId,
    idle_seconds: idleHours * 3_600,
    expires_at: trx.raw("now() + ? * interval '1 day'", [days]),
    user_agent: userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
    address,
  });
  await trx.raw(
    `DELETE FROM session WHERE id IN (
       SELECT id FROM session WHERE token_id = ? AND id <> ?
       ORDER BY ended_at IS NULL DESC, last_used_at DESC OFFSET ?)`,
    [tokenId, id, MAX_SESSIONS - 1],
  );
  return { id, secret };
}

/** Ends the session of this secret. @returns its id; null: there was none that had not ended */
export async function endSessionOf(db: Db, secret: string): Promise<string | null> {
  const [ended] = await db('session')
    .where({ digest: digestSecret(secret), ended_at: null })
    .update({ ended_at: db.fn.now() })
    .returning('id');
  return ended?.id ?? null;
}

/** Ends a session. @returns false: it had ended already */
export async function endSession(db: Db, id: string): Promise<boolean> {
  return (await db('session').where({ id, ended_at: null }).update({ ended_at: db.fn.now() })) > 0;
}

/**
 * The sessions of an account that are valid, those first that were used last; at most 1,000.
 * @param accountId undefined: of all accounts
 * @param filter only those of this token, with this id, or with this secret
 */
export async function listSessions(
  db: Db,
  accountId: string | undefined,
  filter: Partial<Record<'tokenId' | 'id' | 'secret', string | undefined>> = {},
): Promise<SessionView[]> {
  const query = db('session')
    .join('access_token', 'access_token.id', 'session.token_id')
    .whereNotNull('access_token.account_id')
    .whereNull('session.ended_at')
    .whereNull('access_token.revoked_at')
    .whereRaw(`${UNTIL} > now() AND (access_token.expires_at IS NULL OR access_token.expires_at > now())`)
    .orderBy([{ column: 'session.last_used_at', order: 'desc' }, 'session.id'])
    .limit(MAX_LISTED);
  if (accountId !== undefined) query.where('access_token.account_id', accountId);
  if (filter.secret !== undefined) query.where('session.digest', digestSecret(filter.secret));
  if (filter.tokenId !== undefined) query.where('session.token_id', filter.tokenId);
  if (filter.id !== undefined) query.where('session.id', filter.id);
  const rows = await query.select({
    id: 'session.id',
    tokenId: 'session.token_id',
    accountId: 'access_token.account_id',
    name: 'access_token.name',
    role: 'access_token.role',
    scopes: 'access_token.scopes',
    createdAt: 'session.created_at',
    lastUsedAt: 'session.last_used_at',
    idleExpiresAt: db.raw(UNTIL),
    expiresAt: db.raw('least(session.expires_at, access_token.expires_at)'),
    userAgent: 'session.user_agent',
    address: 'session.address',
  });
  return rows.map(({ role, scopes, ...session }) => ({ ...session, scopes: scopesOf({ role, scopes }) }));
}

/** Ends all sessions of all accounts: a backup contains some that have ended since. */
export async function endAllSessions(db: Db): Promise<void> {
  await db('session').where({ ended_at: null }).update({ ended_at: db.fn.now() });
}

/** Deletes the sessions that ended or expired long ago, and returns how many. Two processes may run it at the same time. */
export function pruneSessions(db: Db, now: Date): Promise<number> {
  const before = new Date(now.getTime() - KEEP_ENDED_MS);
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM session WHERE id IN (
         SELECT id FROM session WHERE ended_at < ? OR ${UNTIL} < ? LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [before, before, limit],
    );
    return rowCount;
  });
}
