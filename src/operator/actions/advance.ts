/** Records how far an action has come, and its end. */
import type { Db } from '../../../db/connection.js';

export async function endAction(db: Db, id: string, outcome: string, message: string | null): Promise<void> {
  await db('operator_action')
    .where({ id })
    .whereNull('completed_at')
    .update({ outcome, message, completed_at: db.fn.now(), updated_at: db.fn.now() });
}

/** Another process has executed this part of the action meanwhile. */
export class Superseded extends Error {}

interface Advance {
  readonly cursor: string;
  /** What became of the target; undefined: there was none. */
  readonly outcome?: 'done' | 'refused';
  readonly refusal?: { readonly id: string; readonly message: string };
}

const MOST_REFUSALS = 20;

/** Records that the action has come so far. @throws Superseded when it is not where the caller believes it to be */
export async function advance(db: Db, id: string, from: string, { cursor, outcome, refusal }: Advance): Promise<void> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `UPDATE operator_action SET done_upto = :cursor, done = done + :done, refused = refused + :refused,
       refusals = CASE WHEN :refusal::jsonb IS NULL OR jsonb_array_length(refusals) >= ${MOST_REFUSALS} THEN refusals
                       ELSE refusals || :refusal::jsonb END,
       updated_at = now()
     WHERE id = :id AND done_upto = :from AND completed_at IS NULL`,
    {
      ...{ id, from, cursor, done: outcome === 'done' ? 1 : 0, refused: outcome === 'refused' ? 1 : 0 },
      refusal: refusal === undefined ? null : JSON.stringify([refusal]),
    },
  );
  if (rowCount === 0) throw new Superseded();
}
