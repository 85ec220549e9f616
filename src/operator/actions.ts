/**
 * What operators do to one job or endpoint, or to all that match. Each action is a row with its progress, which the
 * maintenance process works off, target after target. What was done is recorded in the transaction of the change, so an
 * action that was interrupted continues after it.
 */
import type { Db } from '../../db/connection.js';
import { type Actor, recordAudit } from '../domain/access/audit.js';
import { DomainError } from '../domain/kernel/errors.js';
import { newId } from '../domain/kernel/identifier.js';
import { type ActionRow, COLUMNS, type OperatorAction } from './actions/action-row.js';
import type { RequestedAction } from './actions/requested-action.js';
import { rowsOf } from './read/reading.js';

/** Records an action, which the maintenance process then executes. @returns its id */
export async function requestAction(db: Db, { action, filter }: RequestedAction, actor: Actor): Promise<string> {
  const id = newId();
  await db.transaction(async (trx) => {
    await trx('operator_action').insert({ id, action, filter: JSON.stringify(filter), actor: JSON.stringify(actor) });
    const target = `operator-action/${id} ${action} ${JSON.stringify(filter)}`;
    await recordAudit(trx, [{ actor, accountId: null, action: 'OPERATOR_ACTION_STARTED', target }]);
  });
  return id;
}

/** Asks an action to stop after the target that it is at. @throws DomainError not-found, conflict (it has ended) */
export async function stopAction(db: Db, id: string, actor: Actor): Promise<void> {
  const { outcome } = await findAction(db, id);
  await db.transaction(async (trx) => {
    const stopped = await trx('operator_action')
      .where({ id })
      .whereNull('completed_at')
      .update({ stop_requested_at: trx.raw('coalesce(stop_requested_at, now())'), updated_at: trx.fn.now() });
    if (stopped === 0)
      throw new DomainError('conflict', 'ACTION_ENDED', `the action has ended already: ${outcome ?? 'just now'}`);
    const target = `operator-action/${id}`;
    await recordAudit(trx, [{ actor, accountId: null, action: 'OPERATOR_ACTION_STOPPED', target }]);
  });
}

/** @throws DomainError not-found */
export async function findAction(db: Db, id: string): Promise<OperatorAction> {
  const [found] = await rowsOf<ActionRow>(db, `SELECT ${COLUMNS} FROM operator_action WHERE id = :id`, { id });
  if (found === undefined)
    throw new DomainError('not-found', 'ACTION_NOT_FOUND', `there is no action ${id.slice(0, 60)}`);
  return found;
}

/** The newest actions first. */
export async function listActions(db: Db, limit: number): Promise<readonly OperatorAction[]> {
  return rowsOf<ActionRow>(
    db,
    `SELECT ${COLUMNS} FROM operator_action ORDER BY created_at DESC, id DESC LIMIT :limit`,
    { limit },
  );
}

/** Deletes the actions that ended so many days ago; the audit log keeps what it has of them. */
export async function pruneActions(db: Db, retentionDays: number): Promise<void> {
  await db.raw("DELETE FROM operator_action WHERE completed_at < now() - ? * interval '1 day'", [retentionDays]);
}
