/** Which jobs have changes that are kept. */
import type { Db } from '../../../db/connection.js';

/** @returns the ids of those jobs that have changed something, or would have */
export async function withChanges(db: Db, jobIds: readonly string[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT given.id FROM unnest(?::text[]) AS given (id)
     WHERE EXISTS (SELECT FROM change_set WHERE job_id = given.id COLLATE "C")
       OR EXISTS (SELECT FROM surrounding_change WHERE job_id = given.id COLLATE "C")`,
    [[...jobIds]],
  );
  return rows.map(({ id }) => id);
}
