/** Executes the actions of operators, target after target. */
import { z } from 'zod';
import { type ActionRow, COLUMNS } from './actions/action-row.js';
import { advance, endAction, Superseded } from './actions/advance.js';
import { execute } from './actions/execute.js';
import type { ActionServices } from './actions/perform.js';
import { requestedAction } from './actions/requested-action.js';
import { nextTargets } from './actions/targets.js';
import { findAction } from './actions.js';
import { rowsOf } from './read/reading.js';

/**
 * Executes the actions that have not ended, one after another.
 * @param isStopping whether the process is about to end: another one continues
 */
export async function runActions(services: ActionServices, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const [row] = await rowsOf<ActionRow>(
      services.db,
      `SELECT ${COLUMNS} FROM operator_action WHERE completed_at IS NULL ORDER BY created_at, id LIMIT 1`,
    );
    if (row === undefined) return;
    await runAction(services, row, isStopping).catch(async (error: unknown) => {
      if (error instanceof Superseded) return;
      // What the database has refused is tried again by the next pass.
      if (!(error instanceof z.ZodError)) throw error;
      await endAction(services.db, row.id, 'FAILED', 'a later release has written this action; it was not executed');
    });
  }
}

async function runAction(services: ActionServices, row: ActionRow, isStopping: () => boolean): Promise<void> {
  const { db } = services;
  const requested = requestedAction.parse({ action: row.action, filter: row.filter });
  await db('operator_action').where({ id: row.id }).whereNull('started_at').update({ started_at: db.fn.now() });
  let { doneUpto } = row;
  while (!isStopping()) {
    const { stopRequestedAt, outcome } = await findAction(db, row.id);
    if (outcome !== null) return;
    if (stopRequestedAt !== null) return endAction(db, row.id, 'STOPPED', null);
    const { targets, next } = await nextTargets(db, requested, doneUpto, row.createdAt);
    for (const target of targets) {
      if (isStopping()) return;
      await execute(services, row, requested, target, doneUpto);
      doneUpto = target.cursor;
    }
    if (targets.length > 0) continue;
    if (next === null) return endAction(db, row.id, 'DONE', null);
    await advance(db, row.id, doneUpto, { cursor: next });
    doneUpto = next;
  }
}
