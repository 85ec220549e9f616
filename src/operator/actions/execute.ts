/** Does an action to one target, and records it in the transaction of the change. */
import type { Db } from '../../../db/connection.js';
import { isLockedOut } from '../../../db/with-retries.js';
import { type Actor, type AuditAction, recordAudit } from '../../domain/access/audit.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { outageOf } from '../../platform/outage.js';
import { enqueueEntries } from '../../queues/outbox.js';
import type { ActionRow } from './action-row.js';
import { advance, Superseded } from './advance.js';
import { type ActionServices, perform } from './perform.js';
import type { ActionName, RequestedAction } from './requested-action.js';
import type { Target } from './targets.js';

/** Does the action to one target. What the domain refuses is counted, and no reason to stop. */
export async function execute(
  services: ActionServices,
  row: ActionRow,
  requested: RequestedAction,
  target: Target,
  from: string,
): Promise<void> {
  const { db, producer, logger } = services;
  let recorded = false;
  const record = async (trx: Db) => {
    await recordAudit(trx, [auditEntry(requested.action, row.actor, target)]);
    await advance(trx, row.id, from, { cursor: target.cursor, outcome: 'done' });
    recorded = true;
  };
  try {
    const outboxEntries = await perform(services, requested, target, record);
    if (!recorded) await advance(db, row.id, from, { cursor: target.cursor, outcome: 'done' });
    await enqueueEntries(producer, outboxEntries, logger);
  } catch (error) {
    if (error instanceof Superseded || outageOf(error) !== null || isLockedOut(error)) throw error;
    const isRefused = error instanceof DomainError;
    // A target that meets a fault must not keep the others waiting.
    if (!isRefused)
      logger.error({ err: error, action: row.id, target: target.id }, 'an action met a fault, and goes on');
    const message = isRefused
      ? error.message
      : 'a fault of Longshore itself; the log of the maintenance process has it';
    const refusal = { id: target.id, message };
    await advance(db, row.id, from, { cursor: target.cursor, outcome: 'refused', refusal });
  }
}

const RECORDED: Readonly<Record<ActionName, readonly [act: AuditAction, subject: string]>> = {
  cancel: ['JOB_CANCELLED', 'job'],
  retry: ['JOB_RETRIED', 'job'],
  resume: ['WEBHOOK_RESUMED', 'webhook'],
  replay: ['EVENTS_REPLAYED', 'webhook'],
};

/** What the account sees in its own audit log. */
function auditEntry(action: ActionName, actor: Actor, { accountId, stage, id }: Target) {
  const [act, subject] = RECORDED[action];
  return { actor, accountId, stage, action: act, target: `${subject}/${id}` };
}
