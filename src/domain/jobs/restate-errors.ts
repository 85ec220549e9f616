/** Changes what the recorded problems of a job say. */
import type { Db } from '../../../db/connection.js';
import { storable } from '../kernel/characters.js';
import { MAX_MESSAGE_CHARACTERS, MAX_VALUE_CHARACTERS } from './chunks/record-errors.js';

/** What a recorded problem is to say in place of what it said before. */
interface RestatedProblem {
  readonly row: number;
  readonly seq: number;
  readonly message: string;
  readonly value: string;
}

/** Changes what recorded problems say. Repeating it changes nothing. */
export async function restateErrors(db: Db, jobId: string, problems: readonly RestatedProblem[]): Promise<void> {
  const lines = problems.map(({ row, seq, message, value }) => ({
    ...{ r: row, s: seq, m: storable(message, MAX_MESSAGE_CHARACTERS), v: storable(value, MAX_VALUE_CHARACTERS) },
  }));
  await db.raw(
    `UPDATE job_error SET message = m, value = v
     FROM jsonb_to_recordset(:lines::jsonb) AS line (r integer, s smallint, m text, v text)
     WHERE job_id = :jobId AND row_no = r AND seq = s`,
    { jobId, lines: JSON.stringify(lines) },
  );
}
