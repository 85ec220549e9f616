/** Tells whoever waits that a job has ended, by Postgres' own NOTIFY. */
import type { Db } from '../../../db/connection.js';

/** Channel of the notices; the payload is the job's id. */
export const JOB_ENDED_CHANNEL = 'longshore_job_ended';

/**
 * Announces a job's end, after its commit: a NOTIFY inside the transaction would make all commits of the database
 * wait for each other. A notice that is lost costs a waiting client a second, no more: it looks again by itself.
 */
export async function announceEnd(db: Db, jobId: string): Promise<void> {
  await db.raw('SELECT pg_notify(?, ?)', [JOB_ENDED_CHANNEL, jobId]);
}
