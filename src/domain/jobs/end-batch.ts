/** Ends small jobs together, and follows their ends. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import { type ChunkResult, countOutcomes } from '../kernel/chunk-result.js';
import { InvariantViolation } from '../kernel/invariant.js';
import { firstEntries } from '../webhooks/emit-events.js';
import { checkChunk } from './chunks/chunk-window.js';
import { recordFailures, summariseErrors } from './chunks/record-errors.js';
import { recordedWarnings, warningsOf } from './chunks/record-warnings.js';
import { checkTotal, JOB_ENDED_CHANNEL } from './end-job.js';
import { emitJobEnd, SUBSCRIBERS, type Subscribers } from './ends/emit-job-end.js';
import { endOf } from './model/job-end.js';
import { sweep, sweepsAt } from './order/sweep.js';
import { releaseDueOf } from './release-jobs.js';

/** What came of one job of a batch. */
export interface BatchedEnd {
  readonly jobId: string;
  readonly kind: string;
  readonly acceptedAt: Date;
  readonly siteId: number;
  readonly definitionsVersion: number;
  readonly position: number;
  readonly rowCount: number;
  readonly result: ChunkResult;
}

/**
 * Records the results of a batch's jobs, and ends them. They leave the ordering queue of their site with the commit, and
 * their ends are announced by it: transactions that notify commit one after another, but a batch is one for many jobs.
 * @returns the events that were emitted
 * @throws InvariantViolation when a job has ended already, or its counts do not add up
 */
export async function endBatch(trx: Knex.Transaction, ends: readonly BatchedEnd[]): Promise<readonly string[]> {
  if (ends.length === 0) return [];
  const given = [];
  for (const { jobId, rowCount, result, definitionsVersion } of ends) {
    const outcomes = checkChunk({ job_id: jobId, idx: 0, wave: 0, outcomes: null, row_count: rowCount }, result);
    const counts = countOutcomes(outcomes);
    checkTotal(jobId, counts, rowCount);
    let errorSummary: string | null = null;
    if (counts.failed > 0) {
      await recordFailures(trx, jobId, result.failures);
      errorSummary = JSON.stringify(await summariseErrors(trx, jobId));
    }
    const { status, statusMessage = null } = endOf(counts);
    const noted = recordedWarnings(null, result.warnings);
    const warnings = { noted, warnings: warningsOf(noted, counts) };
    const judged = { outcomes, ...counts, status, message: statusMessage, errors: errorSummary, ...warnings };
    // A request that waits for a job of which all rows were applied need not read it.
    const notice = result.failures.length === 0 ? `${jobId} ${result.outcomes.join('')}` : jobId;
    given.push({ id: jobId, version: definitionsVersion, notice, ...judged });
  }
  const result = await prepared<{ rows: (Subscribers & { id: string })[] }>(
    trx,
    `WITH given AS MATERIALIZED (
       SELECT * FROM jsonb_to_recordset(:given::jsonb) AS ended (
         id text, version integer, outcomes text, created integer, updated integer, unchanged integer, failed integer, status text,
         message text, errors text, notice text, noted jsonb, warnings jsonb)
     ), applied AS (
       UPDATE job_chunk SET status = 'done', outcomes = given.outcomes, created_count = created, updated_count = updated,
         unchanged_count = unchanged, error_count = failed, warnings = given.noted, done_at = now()
       FROM given CROSS JOIN LATERAL (
         SELECT ctid AS place FROM job_chunk WHERE job_id = given.id COLLATE "C" AND idx = 0 LIMIT 1) AS held
       WHERE job_chunk.ctid = held.place
     ), left_order AS (
       -- No two sites have the same position.
       UPDATE job_order SET state = 'e'
       WHERE site_id = ANY (:siteIds::integer[]) AND position = ANY (:positions::bigint[])
     )
     UPDATE job SET status = given.status, status_message = given.message, step = NULL,
       started_at = greatest(now(), job.created_at), completed_at = greatest(statement_timestamp(), job.created_at), updated_at = now(), definitions_version = given.version,
       created_count = created, updated_count = updated, unchanged_count = unchanged, error_count = failed,
       processed_count = created + updated + unchanged + failed, error_summary = coalesce(given.errors::jsonb, error_summary),
       warnings = given.warnings
     FROM given CROSS JOIN LATERAL (SELECT ctid AS place FROM job WHERE id = given.id COLLATE "C" LIMIT 1) AS held
     WHERE job.ctid = held.place AND job.completed_at IS NULL
     RETURNING job.id, ${SUBSCRIBERS}, pg_notify(:channel, given.notice)`,
    {
      channel: JOB_ENDED_CHANNEL,
      given: JSON.stringify(given),
      siteIds: [...new Set(ends.map(({ siteId }) => siteId))],
      positions: ends.map(({ position }) => position),
    },
  );
  if (result.rows.length !== ends.length) {
    throw new InvariantViolation(
      `${result.rows.length} of the ${ends.length} jobs of a batch could end: ${ends.map(({ jobId }) => jobId).join(', ')}`,
    );
  }
  const eventIds: string[] = [];
  for (const { id, ...subscribers } of result.rows) eventIds.push(...(await emitJobEnd(trx, id, subscribers)));
  return eventIds;
}

/**
 * Releases the jobs that were held for those of a batch, after its commit. See followEnd.
 * @param siteIds the sites of the batch, without those whose job is held because another transaction is at it
 * @param eventIds the events that endBatch emitted
 * @returns what to enqueue: the first deliveries of the events, too
 */
export async function followBatch(
  db: Db,
  siteIds: readonly number[],
  ended: readonly BatchedEnd[],
  eventIds: readonly string[],
): Promise<OutboxEntry[]> {
  const [entries, released] = await Promise.all([
    eventIds.length === 0 ? [] : firstEntries(db, eventIds),
    releaseDueOf(db, siteIds),
  ]);
  const swept = ended.flatMap(({ siteId, position }) => (sweepsAt(position) ? [siteId] : []));
  if (swept.length > 0) await sweep(db, [...new Set(swept)]);
  return [...released, ...entries];
}
