/** The jobs of all accounts, for `npm run admin jobs`. */
import type { Db } from '../../db/connection.js';

interface OperatorsFilter {
  readonly accountId?: string | undefined;
  /** Default: all that have not ended. */
  readonly status?: string | undefined;
  readonly limit: number;
}

/** Lists jobs of all accounts for an operator, without what they contain: those that have not ended, the oldest first. */
export async function recentJobs(db: Db, { accountId, status, limit }: OperatorsFilter): Promise<readonly object[]> {
  const query = db('job');
  if (accountId !== undefined) query.where('account_id', accountId);
  if (status === undefined) query.whereNull('completed_at').orderBy('created_at');
  else query.where('status', status).orderBy('created_at', 'desc');
  return query.limit(limit).select({
    id: 'id',
    account: 'account_id',
    type: 'type',
    status: 'status',
    step: 'step',
    because: db.raw('coalesce(status_message, reason)'),
    rows: 'total_count',
    applied: 'processed_count',
    errors: 'error_count',
    attempts: 'attempts',
    createdAt: 'created_at',
    startedAt: 'started_at',
    completedAt: 'completed_at',
  });
}
