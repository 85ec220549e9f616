/** Ends jobs whose removals wait, when a newer job has brought what is complete in the same scope: they are out of date. */
import type { Knex } from 'knex';
import type { JobEnd } from '../model/job-end.js';
import { dropRemovals, NOTHING_REMOVED, SNAPSHOT_BRAKE } from './waiting-removals.js';

/**
 * What a job with a snapshot supersedes: the removals of older jobs of its scope that wait for an approval, or were approved while it
 * ran and are to follow it. Locks the jobs, waiting for an approval that is being given, and records of all of them what became of them.
 * @param jobId the newer job, whose row the transaction has locked, and whose removals are made
 * @returns how the older ones end
 */
export async function supersedeRemovals(
  trx: Knex.Transaction,
  jobId: string,
): Promise<(JobEnd & { readonly jobId: string })[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(OLDER, { jobId });
  if (rows.length === 0) return [];
  const jobIds = rows.map(({ id }) => id);
  await dropRemovals(trx, jobIds);
  await trx.raw(
    `UPDATE job SET options = jsonb_set(options, '{removal,supersededBy}', to_jsonb(CAST(:jobId AS text)))
     WHERE id = ANY (CAST(:jobIds AS text[])) AND options -> 'removal' IS NOT NULL`,
    { jobId, jobIds },
  );
  await trx.raw(
    `UPDATE job SET options = jsonb_set(options, '{removal,supersedes}', to_jsonb(CAST(:jobIds AS text[]))) WHERE id = :jobId`,
    { jobId, jobIds },
  );
  const statusMessage = `superseded by job ${jobId}, which is newer and complete in the same scope; ${NOTHING_REMOVED}`;
  return jobIds.map((id) => ({ jobId: id, status: 'COMPLETED_PARTIALLY', reason: SNAPSHOT_BRAKE, statusMessage }));
}

/**
 * SQL: the scope of a job as the client has named it, for jobs of which a process of the release before has not noted what it means. A feed
 * may have been renamed.
 */
const scopeOf = (job: string) =>
  `coalesce(${job}.options #> '{snapshot,scope,id}', ${job}.options #> '{snapshot,scope}')`;

/** Jobs with a snapshot run alone: the one whose rows began first is the older one, also if its removals were approved last. */
const OLDER = `
  SELECT older.id FROM job AS newer JOIN job AS older ON older.site_id = newer.site_id
  WHERE newer.id = :jobId AND older.id <> newer.id
    AND older.completed_at IS NULL AND older.status IN ('AWAITING_APPROVAL', 'SCHEDULED')
    AND older.options -> 'approval' ->> 'only' = 'removals'
    AND older.started_at < CASE
      -- Removals that a process of the release before has begun do not say when their rows were: they supersede none.
      WHEN newer.options -> 'approval' ->> 'only' = 'removals' THEN CAST(newer.options #>> '{approval,rowsBegan}' AS timestamptz)
      ELSE coalesce(newer.started_at, now()) END
    AND (older.type = 'BUNDLE_IMPORT') = (newer.type = 'BUNDLE_IMPORT')
    AND older.channel IS NOT DISTINCT FROM newer.channel
    AND coalesce(older.options ->> 'scopeKey' = newer.options ->> 'scopeKey', ${scopeOf('older')} = ${scopeOf('newer')})
  ORDER BY older.id FOR NO KEY UPDATE OF older`;
