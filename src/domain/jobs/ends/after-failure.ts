/** What follows for the other jobs of a site when one of them has failed. */
import type { Knex } from 'knex';

interface AfterFailure {
  /** The jobs behind it wait until the account resumes them. */
  readonly pauses: boolean;
  /** Says so; appended to the status message. */
  readonly message: string;
}

/** After any other end. */
export const GOES_ON: AfterFailure = { pauses: false, message: '' };

export async function afterFailure(trx: Knex.Transaction, jobId: string): Promise<AfterFailure> {
  const { line_no: position, after_failure: chosen } = await trx('job')
    .join('account', 'account.id', 'job.account_id')
    .where({ 'job.id': jobId })
    .first('job.line_no', 'account.after_failure');
  if (position === null) return GOES_ON;
  return chosen === 'pause'
    ? { pauses: true, message: `; later jobs of this account and stage wait until POST /jobs/${jobId}/actions/resume` }
    : { pauses: false, message: '; later jobs of this account and stage go on' };
}
