/** Snapshots the definitions that a job is about to begin with. */
import type { Db } from '../../../db/connection.js';
import { snapshotDefinitions } from '../catalog/definition-snapshot.js';
import type { LoadedJob } from '../job-model/job-type.js';
import { IMPORT_JOBS } from './model/import-jobs.js';

/** The largest request that has priority over imports: so few rows, and values, that reading them hardly ever yields. */
const SMALL_ROWS = 50;
const SMALL_BYTES = 64 * 1024;

/** What is known of a job that is about to begin. */
interface PreparedJob {
  /** Empty: the job does not exist any more. */
  readonly accountId: string;
  readonly isFile: boolean;
  /** Whether it is so small that it should not wait while larger jobs are computed. */
  readonly small: boolean;
}

/**
 * Snapshots the definitions that a job is about to begin with, in a separate transaction: a snapshot made in the job's
 * own transaction would make every job of the site that begins meanwhile wait until that job ends.
 */
export async function prepareDefinitions(db: Db, jobId: string): Promise<PreparedJob> {
  const found = await db.raw(
    `SELECT job.site_id, job.account_id AS "accountId", job.input_file_id IS NOT NULL AS "isFile",
            job.kind IN (${jobTypesBy('kept')}) AND job.input_file_id IS NULL AND job.total_count <= ${SMALL_ROWS}
              AND (SELECT octet_length(input) FROM job_chunk WHERE job_id = job.id AND idx = 0 LIMIT 1) <= ${SMALL_BYTES} AS small,
            job.kind IN (${jobTypesBy('kept', 'present')}) AND job.started_at IS NULL AND kept.version IS NULL
              AND NOT ${DEFINITIONS_CHANGE} AS missing
     FROM job JOIN site ON site.id = job.site_id
     LEFT JOIN definition_snapshot AS kept ON kept.site_id = site.id AND kept.version = site.definitions_version
     WHERE job.id = ?`,
    [jobId],
  );
  const [job] = found.rows;
  if (job?.missing === true) await db.transaction((trx) => snapshotDefinitions(trx, job.site_id));
  return { accountId: job?.accountId ?? '', isFile: job?.isFile === true, small: job?.small === true };
}

/** SQL: the job types that use the definitions in one of these ways. */
function jobTypesBy(...uses: readonly LoadedJob['jobType']['definitions'][]): string {
  const types = Object.values(IMPORT_JOBS).filter(({ definitions }) => uses.includes(definitions));
  return types.map(({ kind }) => `'${kind}'`).join(', ');
}

/**
 * SQL: whether a job that changes definitions is running. Such a job may lock the site's row for long, and all other
 * jobs of the site wait for its end anyway. It is exclusive, so it is the first in the ordering queue.
 */
const DEFINITIONS_CHANGE = `EXISTS (
  SELECT 1 FROM (
    SELECT state, job_id FROM job_order
    WHERE job_order.site_id = job.site_id AND state <> 'e'
      AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = job.site_id), 0)
    ORDER BY position LIMIT 1) AS first
  JOIN LATERAL (SELECT kind FROM job AS other WHERE other.id = first.job_id LIMIT 1) AS other ON true
  WHERE first.state = 'r' AND other.kind IN (${jobTypesBy('changed')}))`;
