/** Judges the failure of a step: it is the reason of its outages only if others are done meanwhile. */
import type { Knex } from 'knex';
import type { Failure } from '../model/failure.js';
import { type Failed, type Judgement, judge, MAX_OUTAGES } from './judge-failure.js';

/** The part serves others if one of so many jobs, those accepted last, has been done within this time. */
const JOBS_ASKED = 200;
const SERVED_WITHIN = '2 minutes';

export async function judgeStep(
  trx: Knex.Transaction,
  jobId: string,
  row: Failed,
  failure: Failure,
): Promise<Judgement> {
  const isDoubtful = failure.kind === 'outage' && !failure.lasting && row.outages >= MAX_OUTAGES;
  return judge(row, isDoubtful && !(await othersAreServed(trx, jobId)) ? { ...failure, lasting: true } : failure);
}

async function othersAreServed(trx: Knex.Transaction, jobId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { served: boolean }[] }>(
    `SELECT EXISTS (
       SELECT FROM (SELECT id, status, completed_at FROM job ORDER BY id DESC LIMIT ${JOBS_ASKED}) AS newest
       WHERE id <> ? AND status IN ('COMPLETED', 'COMPLETED_PARTIALLY')
         AND completed_at > now() - interval '${SERVED_WITHIN}') AS served`,
    [jobId],
  );
  return rows[0]?.served === true;
}
