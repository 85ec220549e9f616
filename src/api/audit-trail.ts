/** Records the acts of requests in the audit log. */
import type { Knex } from 'knex';
import type { Context } from 'koa';
import type { Db } from '../../db/connection.js';
import { withRetries } from '../../db/with-retries.js';
import type { AccessRecorder } from '../domain/access/access-recorder.js';
import { type Actor, type AuditAction, recordAudit } from '../domain/access/audit.js';
import { isOfAccount, type Principal } from '../domain/access/principals.js';
import { noteChanger } from '../domain/changes/definition-changes.js';
import { DomainError } from '../domain/kernel/errors.js';

export interface AuditTrail {
  /** Records the act of the route. Pass the transaction of the change. */
  record(db: Db, target: string | null): Promise<void>;
  /**
   * Makes a change and records it, in one transaction, which is repeated if Postgres aborts it in favour of another one.
   * @param target what was changed, from the change's result
   */
  change<T>(db: Db, work: (trx: Knex.Transaction) => Promise<T>, target: (result: T) => string | null): Promise<T>;
}

/** What is known of who sends a request, before and after its token is known. */
export function actorOf(principal: Principal, { address, requestId }: Pick<Actor, 'address' | 'requestId'>): Actor {
  if (principal.kind === 'anonymous') return { kind: 'anonymous', id: null, address, requestId };
  return { kind: isOfAccount(principal) ? 'token' : 'operator', id: principal.tokenId, address, requestId };
}

export function accountOf(principal: Principal): string | null {
  return isOfAccount(principal) ? principal.accountId : null;
}

/** @param action undefined: the route records nothing, so that a trail of it cannot be used */
export function createAuditTrail(
  action: AuditAction | undefined,
  actor: Actor,
  accountId: string | null,
  stage: string | null,
): AuditTrail {
  async function record(db: Db, target: string | null): Promise<void> {
    if (action === undefined) throw new Error('a route that records an act must declare it as `audit`');
    await recordAudit(db, [{ actor, accountId, action, stage, target }]);
  }
  return {
    record,
    change: (db, work, target) =>
      withRetries(db, async (trx) => {
        await noteChanger(trx, { jobId: null, actor: `${actor.kind}:${actor.id}` });
        const result = await work(trx);
        await record(trx, target(result));
        return result;
      }),
  };
}

/** Notes that a request of a recorded act was refused; other errors say nothing about who asked. */
export function noteRefusal(
  recorder: AccessRecorder,
  action: AuditAction,
  who: { readonly actor: Actor; readonly accountId: string | null; readonly stage: string | null },
  ctx: Context,
  error: unknown,
): void {
  if (!(error instanceof DomainError) || error.kind === 'unavailable' || error.kind === 'busy') return;
  recorder.refused({ ...who, action, target: `${ctx.method} ${ctx.path}`, result: error.code });
}
