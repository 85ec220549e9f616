/** Ends jobs as EXPIRED that have waited for too long before they began, and without their removals those that wait for these alone. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { JobStatus } from '../../../../db/models/job.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from '../ends/emit-job-end.js';
import { recordNothingWritten } from '../ends/nothing-written.js';
import { dropRemovals, HAS_ONLY_REMOVALS, NOTHING_REMOVED } from '../ends/waiting-removals.js';
import { ENDS_AT } from '../steps/times.js';

/** The most jobs that one statement ends. */
const BATCH = 500;

interface Expiry {
  /** SQL: the common table expressions that find, lock and clean up the jobs, the last one with their `id`. */
  readonly gone: string;
  /** SQL: the status message. */
  readonly message: string;
}

/** SQL: the jobs of one file, locked. By their key: joined, all jobs would be read each minute, to find that none waits. */
function jobsOfFile(status: JobStatus): string {
  return `(SELECT id FROM job WHERE input_file_id = file.id AND status = '${status}' FOR UPDATE SKIP LOCKED)`;
}

/** By what the jobs wait for. None of them has a position in the ordering queue. */
const EXPIRIES = {
  // The job is locked before the file, in the same order as when an upload is completed or cancelled.
  upload: {
    gone: `due AS (
        SELECT job.id, file.id AS input_file_id FROM file CROSS JOIN LATERAL ${jobsOfFile('AWAITING_UPLOAD')} AS job
        WHERE file.status = 'AWAITING_UPLOAD' AND file.expires_at < now() AND file.look_at IS NULL
        ORDER BY file.expires_at LIMIT ${BATCH}
      ), gone AS (
        UPDATE file SET status = 'EXPIRED' FROM due
        WHERE file.id = due.input_file_id AND file.status = 'AWAITING_UPLOAD' AND file.expires_at < now()
          AND file.look_at IS NULL
        RETURNING due.id
      )`,
    message: "'the file was not uploaded in time; announce it again to get a new URL'",
  },
  // The bytes are deleted afterwards, as those of rejected files are.
  profile: {
    gone: `gone AS (
        SELECT job.id FROM file CROSS JOIN LATERAL ${jobsOfFile('AWAITING_PROFILE')} AS job
        WHERE file.status = 'UPLOADED' AND file.expires_at < now()
        ORDER BY file.expires_at LIMIT ${BATCH}
      )`,
    message: "'the file was uploaded, and nothing said in time how to import it; announce it again'",
  },
  approval: {
    gone: `gone AS (
        SELECT id FROM job WHERE status = 'AWAITING_APPROVAL' AND updated_at < now() - :hours * interval '1 hour'
        ORDER BY updated_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
      ), rows_gone AS (
        DELETE FROM preview_row USING gone WHERE preview_row.job_id = gone.id
      )`,
    message: `'nobody has approved it within ' || :hours || ' hours; ' || CASE WHEN ${HAS_ONLY_REMOVALS}
      THEN '${NOTHING_REMOVED}' ELSE 'nothing was written' END`,
  },
} as const satisfies Record<string, Expiry>;

/**
 * Ends the jobs that have waited for their file, a profile or an approval for too long.
 * @param hours how long a job may wait for an approval
 * @returns the jobs that ended; call followEnd for each
 */
export function expireJobs(db: Db, awaiting: keyof typeof EXPIRIES, hours: number): Promise<string[]> {
  const { gone, message } = EXPIRIES[awaiting];
  return db.transaction(async (trx: Knex.Transaction) => {
    const expired = await trx.raw<{ rows: (Subscribers & { id: string; only_removals: boolean })[] }>(
      `WITH ${gone}
       UPDATE job SET status = CASE WHEN ${HAS_ONLY_REMOVALS} THEN 'COMPLETED_PARTIALLY' ELSE 'EXPIRED' END, completed_at = ${ENDS_AT}, updated_at = now(), step = NULL,
         status_message = ${message}
       FROM gone WHERE job.id = gone.id RETURNING job.id, ${HAS_ONLY_REMOVALS} AS only_removals, ${SUBSCRIBERS}`,
      { hours },
    );
    if (awaiting === 'approval') {
      const ids = (onlyRemovals: boolean) =>
        expired.rows.flatMap(({ id, only_removals: only }) => (only === onlyRemovals ? [id] : []));
      await dropRemovals(trx, ids(true));
      await recordNothingWritten(trx, ids(false));
    }
    for (const { id, only_removals: _, ...subscribers } of expired.rows) await emitJobEnd(trx, id, subscribers);
    return expired.rows.map(({ id }) => id);
  });
}
