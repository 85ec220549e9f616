/** Begins the session of a login, in place of the one that the browser had before. */
import type { Knex } from 'knex';
import type { Context } from 'koa';
import { type Actor, recordAudit } from '../../../domain/access/audit.js';
import { endSessionOf, startSession } from '../../../domain/access/sessions.js';

interface LogIn {
  readonly accountId: string;
  readonly tokenId: string;
  /** From where: the audit log and the list of sessions say it. */
  readonly from: Pick<Actor, 'address' | 'requestId'>;
  /** The secret of the session that the browser had before. */
  readonly before: string | undefined;
  readonly times: Parameters<typeof startSession>[2];
  /** Of its secret. Default: that of people's sessions. */
  readonly prefix?: Parameters<typeof startSession>[4];
}

interface BegunSession {
  readonly id: string;
  readonly secret: string;
  /** The session that it has replaced, which is to be forgotten after the commit. */
  readonly ended: string | null;
}

export async function beginSession(
  trx: Knex.Transaction,
  koa: Context,
  { accountId, tokenId, from, before, times, prefix }: LogIn,
): Promise<BegunSession> {
  const ended = before === undefined ? null : await endSessionOf(trx, before);
  const browser = { userAgent: koa.get('user-agent') || null, address: from.address };
  const { id, secret } = await startSession(trx, tokenId, times, browser, prefix);
  const actor: Actor = { kind: 'token', id: tokenId, ...from };
  await recordAudit(trx, [{ actor, accountId, action: 'SESSION_STARTED', target: `session/${id}` }]);
  return { id, secret, ended };
}
