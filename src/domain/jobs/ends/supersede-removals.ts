/** Keeps older jobs from their removals when a newer job has brought what is complete in the same scope: they are out of date. */
import type { Knex } from 'knex';
import { forgetPreview, forgetPreviewedRemovals } from '../../changes/record-changes.js';
import type { JobEnd } from '../model/job-end.js';
import { dropRemovals, HAS_ONLY_REMOVALS, NOTHING_REMOVED, SHOWN, SNAPSHOT_BRAKE } from './waiting-removals.js';

/**
 * What a job with a snapshot supersedes: the removals of older jobs of its scope that wait for an approval, or were approved while it
 * ran and are to follow it. Locks the jobs, waiting for an approval that is being given, and records of all of them what became of them.
 * Those that wait with their rows go on waiting, for their rows alone; if no row would change anything, they end.
 * @param jobId the newer job, whose row the transaction has locked, and whose removals are made
 * @returns how the older ones end whose rows were applied
 */
export async function supersedeRemovals(
  trx: Knex.Transaction,
  jobId: string,
): Promise<(JobEnd & { readonly jobId: string })[]> {
  const { rows } = await trx.raw<{ rows: { id: string; left: Left }[] }>(OLDER, { jobId });
  if (rows.length === 0) return [];
  const jobIds = rows.map(({ id }) => id);
  const ending = rows.filter(({ left }) => left !== 'rows');
  await dropRemovals(trx, idsOf(ending));
  for (const { id, left } of rows) if (left === 'nothing') await forgetPreview(trx, id);
  // Who decides about its rows sees what would happen, and no more than that.
  await forgetPreviewedRemovals(trx, idsOf(rows.filter(({ left }) => left === 'rows')));
  // A process of the release before that applies the rows after an approval finds none of the items that were shown.
  await trx('preview_row').whereIn('job_id', jobIds).where({ first_row: NO_ROW }).delete();
  await trx.raw(
    `UPDATE job SET options = CASE
         WHEN options -> 'removal' IS NULL THEN jsonb_set(options, '{approval,removal,supersededBy}', to_jsonb(CAST(:jobId AS text)))
         WHEN ${HAS_ONLY_REMOVALS} THEN jsonb_set(options, '{removal,supersededBy}', to_jsonb(CAST(:jobId AS text)))
         -- Nothing of it will go: all that its file lacks stays.
         ELSE jsonb_set(options, '{removal}', options -> 'removal'
           || jsonb_build_object('removed', 0, 'kept', options #> '{removal,missing}', 'supersededBy', CAST(:jobId AS text))) END,
       status_message = CASE WHEN status = 'AWAITING_APPROVAL' THEN concat_ws('; ', status_message, CAST(:note AS text))
         ELSE status_message END
     WHERE id = ANY (CAST(:jobIds AS text[])) AND ${SHOWN} IS NOT NULL`,
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
  const because = `superseded by job ${jobId}, which is newer and complete in the same scope`;
  return ending.map(({ id, left }) =>
    left === 'nothing'
      ? {
          jobId: id,
          status: 'COMPLETED_PARTIALLY',
          statusMessage: `${because}; nothing was removed, and no row would change anything`,
        }
      : {
          jobId: id,
          status: 'COMPLETED_PARTIALLY',
          reason: SNAPSHOT_BRAKE,
          statusMessage: `${because}; ${NOTHING_REMOVED}`,
        },
  );
}

function idsOf(jobs: readonly { readonly id: string }[]): string[] {
  return jobs.map(({ id }) => id);
}

/** What is left of an older job to decide about: its rows, or nothing. `removals`: it was about these alone. */
type Left = 'rows' | 'removals' | 'nothing';

/** The number of the row that previewed removals have, which is that of no row of a file. */
const NO_ROW = 0;

/**
 * SQL: the scope of a job as the client has named it, for jobs of which a process of the release before has not noted what it means. A feed
 * may have been renamed.
 */
const scopeOf = (job: string) =>
  `coalesce(${job}.options #> '{snapshot,scope,id}', ${job}.options #> '{snapshot,scope}')`;

/** SQL: what the older job shows of its removals, or has shown when it was approved. */
const SHOWN_BY_OLDER = "coalesce(older.options -> 'removal', older.options #> '{approval,removal}')";

/** Jobs with a snapshot run alone: the one whose rows began first is the older one, also if its removals were approved last. */
const OLDER = `
  SELECT older.id, CASE WHEN older.options -> 'approval' ->> 'only' = 'removals' THEN 'removals'
      WHEN older.status = 'AWAITING_APPROVAL' AND older.created_count + older.updated_count = 0
        AND (SELECT coalesce(sum(CAST(value AS integer)), 0) FROM jsonb_each_text(older.options -> 'created')) = 0 THEN 'nothing'
      ELSE 'rows' END AS left
  FROM job AS newer JOIN job AS older ON older.site_id = newer.site_id
  WHERE newer.id = :jobId AND older.id <> newer.id
    AND older.completed_at IS NULL AND older.status IN ('AWAITING_APPROVAL', 'SCHEDULED')
    AND (older.options -> 'approval' ->> 'only' = 'removals'
      OR older.options -> 'approval' IS NOT NULL AND ${SHOWN_BY_OLDER} ->> 'supersededBy' IS NULL
        AND CAST(${SHOWN_BY_OLDER} ->> 'removed' AS integer) > 0)
    AND coalesce(CAST(older.options #>> '{approval,rowsBegan}' AS timestamptz), older.started_at) < CASE
      -- Jobs that a process of the release before has begun after an approval do not say when their rows were: they supersede none.
      WHEN newer.options -> 'approval' ->> 'state' = 'approved' THEN CAST(newer.options #>> '{approval,rowsBegan}' AS timestamptz)
      ELSE coalesce(newer.started_at, now()) END
    AND (older.type = 'BUNDLE_IMPORT') = (newer.type = 'BUNDLE_IMPORT')
    AND older.channel IS NOT DISTINCT FROM newer.channel
    AND coalesce(older.options ->> 'scopeKey' = newer.options ->> 'scopeKey', ${scopeOf('older')} = ${scopeOf('newer')})
  ORDER BY older.id FOR NO KEY UPDATE OF older`;
