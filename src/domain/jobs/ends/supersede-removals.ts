/** Keeps older jobs from their removals when a newer job has brought what is complete in the same scope: they are out of date. */
import type { Knex } from 'knex';
import type { JobEnd } from '../model/job-end.js';
import { dropRemovals, NOTHING_REMOVED, SNAPSHOT_BRAKE } from './waiting-removals.js';

/**
 * What a job with a snapshot supersedes: the removals of older jobs of its scope that wait for an approval, or were approved while it
 * ran and are to follow it. Locks the jobs, waiting for an approval that is being given, and records of all of them what became of them.
 * Those that wait with their rows go on waiting, for their rows alone.
 * @param jobId the newer job, whose row the transaction has locked, and whose removals are made
 * @returns how the older ones end whose rows were applied
 */
export async function supersedeRemovals(
  trx: Knex.Transaction,
  jobId: string,
): Promise<(JobEnd & { readonly jobId: string })[]> {
  const { rows } = await trx.raw<{ rows: { id: string; isOfRemovals: boolean }[] }>(OLDER, { jobId });
  if (rows.length === 0) return [];
  const jobIds = rows.map(({ id }) => id);
  const ending = rows.filter(({ isOfRemovals }) => isOfRemovals).map(({ id }) => id);
  await dropRemovals(trx, ending);
  await trx.raw(
    `UPDATE job SET options = jsonb_set(options, '{removal,supersededBy}', to_jsonb(CAST(:jobId AS text))),
       status_message = CASE WHEN status = 'AWAITING_APPROVAL' THEN concat_ws('; ', status_message, CAST(:note AS text))
         ELSE status_message END
     WHERE id = ANY (CAST(:jobIds AS text[])) AND options -> 'removal' IS NOT NULL`,
    {
      jobId,
      jobIds,
      note: `job ${jobId}, which is newer and complete in the same scope, decides what stays: none of them is removed`,
    },
  );
  await trx.raw(
    `UPDATE job SET options = jsonb_set(options, '{removal,supersedes}', to_jsonb(CAST(:jobIds AS text[]))) WHERE id = :jobId`,
    { jobId, jobIds },
  );
  const statusMessage = `superseded by job ${jobId}, which is newer and complete in the same scope; ${NOTHING_REMOVED}`;
  return ending.map((id) => ({ jobId: id, status: 'COMPLETED_PARTIALLY', reason: SNAPSHOT_BRAKE, statusMessage }));
}

/**
 * SQL: the scope of a job as the client has named it, for jobs of which a process of the release before has not noted what it means. A feed
 * may have been renamed.
 */
const scopeOf = (job: string) =>
  `coalesce(${job}.options #> '{snapshot,scope,id}', ${job}.options #> '{snapshot,scope}')`;

/** Jobs with a snapshot run alone: the one whose rows began first is the older one, also if its removals were approved last. */
const OLDER = `
  SELECT older.id, older.options -> 'approval' ->> 'only' IS NOT DISTINCT FROM 'removals' AS "isOfRemovals"
  FROM job AS newer JOIN job AS older ON older.site_id = newer.site_id
  WHERE newer.id = :jobId AND older.id <> newer.id
    AND older.completed_at IS NULL AND older.status IN ('AWAITING_APPROVAL', 'SCHEDULED')
    AND (older.options -> 'approval' ->> 'only' = 'removals'
      OR older.options -> 'approval' IS NOT NULL AND older.options #> '{removal,supersededBy}' IS NULL
        AND CAST(older.options #>> '{removal,removed}' AS integer) > 0)
    AND coalesce(CAST(older.options #>> '{approval,rowsBegan}' AS timestamptz), older.started_at) < CASE
      -- Jobs that a process of the release before has begun after an approval do not say when their rows were: they supersede none.
      WHEN newer.options -> 'approval' ->> 'state' = 'approved' THEN CAST(newer.options #>> '{approval,rowsBegan}' AS timestamptz)
      ELSE coalesce(newer.started_at, now()) END
    AND (older.type = 'BUNDLE_IMPORT') = (newer.type = 'BUNDLE_IMPORT')
    AND older.channel IS NOT DISTINCT FROM newer.channel
    AND coalesce(older.options ->> 'scopeKey' = newer.options ->> 'scopeKey', ${scopeOf('older')} = ${scopeOf('newer')})
  ORDER BY older.id FOR NO KEY UPDATE OF older`;
