/** Executes small requests in one transaction. */
import { withRetries } from '../../../db/with-retries.js';
import { executeTogether } from '../../domain/imports/execute-rows.js';
import type { FoundBatch } from '../../domain/jobs/model/found-batch.js';
import { releaseDue } from '../../domain/jobs/release-jobs.js';
import type { ChunkCounts } from '../../domain/outcomes/model/chunk-result.js';
import { withPriority } from '../../platform/time-slice.js';
import type { WorkerServices } from '../context.js';
import type { AfterStep, RowsOfJobs } from '../handler.js';

/**
 * How long a job is delayed that was held because another transaction was at its site: that one may still be running, and
 * the job would be held again at once.
 */
const HELD_PAUSE_MS = 50;

export interface BatchServices extends WorkerServices {
  readonly rowsOfJobs: Pick<RowsOfJobs, 'loadApplier'>;
}

/** Executes small requests in one transaction. @returns the sites of which a job could not be executed so */
export async function runBatch(
  after: AfterStep,
  services: BatchServices,
  batches: readonly FoundBatch[],
): Promise<readonly number[]> {
  if (batches.length === 0) return [];
  const { db, logger, config } = services;
  const { loadApplier } = services.rowsOfJobs;
  let began = 0;
  const run = () =>
    withRetries(db, async (trx) => {
      began = performance.now();
      return executeTogether(trx, batches, { loadApplier, reader: config.importReader });
    });
  const { ends, ended, outboxEntries, heldSiteIds, left } = await withPriority(run);
  for (const { id: jobId } of left) {
    logger.info({ jobId }, 'a job could not be executed within its batch, and is executed by itself');
  }
  noteBatch(services, ends, (performance.now() - began) / 1000);
  const siteIds = batches.flatMap(({ siteId }) => (heldSiteIds.includes(siteId) ? [] : [siteId]));
  await after.send(services, [...outboxEntries, ...(await after.endsFollowed(services, ended, siteIds))]);
  await after.send(services, await releaseDue(db, heldSiteIds), HELD_PAUSE_MS);
  return left.map(({ site_id: siteId }) => siteId);
}

type Executed = Awaited<ReturnType<typeof executeTogether>>;

/** Logs and counts the jobs of a batch that was committed. Types share its time by their rows. */
function noteBatch({ logger, metrics }: WorkerServices, ends: Executed['ends'], seconds: number): void {
  if (ends.length === 0) return;
  const now = Date.now();
  const types = new Map<string, ChunkCounts & { rows: number }>();
  const outcomes: Record<string, number> = {};
  let rows = 0;
  for (const { kind, acceptedAt, rowCount, counts, status } of ends) {
    const before = types.get(kind) ?? { created: 0, updated: 0, unchanged: 0, failed: 0, rows: 0 };
    types.set(kind, {
      created: before.created + counts.created,
      updated: before.updated + counts.updated,
      unchanged: before.unchanged + counts.unchanged,
      failed: before.failed + counts.failed,
      rows: before.rows + rowCount,
    });
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    rows += rowCount;
    metrics?.jobEnded(kind, status, Math.max(0, now - acceptedAt.getTime()) / 1000);
  }
  for (const [kind, { rows: own, ...counts }] of types) metrics?.rowsApplied(kind, counts, (seconds * own) / rows);
  const line = {
    jobs: ends.length,
    types: [...types.keys()],
    rows,
    seconds: Math.round(seconds * 1000) / 1000,
    outcomes,
  };
  logger.info(line, 'a batch of jobs has ended');
}
