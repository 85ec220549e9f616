/** Applies the rows of small jobs of any sites in one transaction. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import { type ChangedSite, recordChanges } from '../../changes/record-changes.js';
import type { executeBatch } from '../../jobs/execute-batch.js';
import type { BegunJob, BegunSite } from '../../jobs/model/begun-job.js';
import type { JobEnd } from '../../jobs/model/job-end.js';
import { type ChunkCounts, countOutcomes } from '../../outcomes/model/chunk-result.js';
import type { ImportJob } from '../model/import-jobs.js';
import { changedBy } from '../pipeline/changed-by.js';
import { endOf } from '../pipeline/row-ends.js';
import type { InlineServices } from './apply-alone.js';
import { applyRound } from './apply-groups.js';
import { type Group, groupsOf } from './job-groups.js';

/**
 * A batch begins no further round, and applies no further job by itself, after so long: with the last one, which may wait
 * for a lock for a quarter of a second, it holds its sites for less than a second.
 */
const BATCH_MS = 500;

/** What came of one job of a batch. */
export interface BatchedEnd extends JobEnd {
  readonly jobId: string;
  readonly kind: string;
  readonly acceptedAt: Date;
  readonly rowCount: number;
  readonly counts: ChunkCounts;
}

type ApplyBatch = Parameters<typeof executeBatch<ImportJob, BatchedEnd>>[3];

/**
 * Applies the rows of a batch's jobs, those of a site in order. Jobs whose rows cannot influence each other are applied
 * together: one statement reads, and one writes, the rows of all of them. A job that fails is undone by itself, and ends
 * the batch for its site.
 */
export async function applyBatch(
  trx: Knex.Transaction,
  sites: readonly BegunSite<ImportJob>[],
  { loadApplier, reader }: Pick<InlineServices, 'loadApplier' | 'reader'>,
): ReturnType<ApplyBatch> {
  const ends: BatchedEnd[] = [];
  const outboxEntries: OutboxEntry[] = [];
  const failed: BegunJob<ImportJob>[] = [];
  const changed: ChangedSite[] = [];
  const lanes: Lane[] = [];
  const endsBy = performance.now() + BATCH_MS;
  const isOver = () => performance.now() >= endsBy;
  for (const site of sites) lanes.push({ site, groups: await groupsOf(trx, site, loadApplier) });
  for (let waiting = lanes; waiting.length > 0; waiting = waiting.filter(({ groups }) => groups.length > 0)) {
    // The first round is applied however late it is, or nothing would ever be.
    if (waiting !== lanes && isOver()) break;
    const groups = waiting.flatMap((lane) => lane.groups.shift() ?? []);
    const results = await applyRound(trx, groups, reader, isOver);
    for (const [nth, { site, groups: later }] of waiting.entries()) {
      const group = groups[nth];
      const ended = results[nth];
      if (group === undefined || ended === undefined) continue;
      for (const [index, result] of ended.results.entries()) {
        const member = group.members[index];
        if (member === undefined) continue;
        const { id: jobId, kind, created_at: acceptedAt, total_count: total } = member.batched.job;
        const { definitionsVersion } = site;
        const rowCount = total ?? 0;
        const counts = countOutcomes(result.outcomes);
        const end = { ...endOf(counts), counts, applied: { rowCount, result }, definitionsVersion, isAnnounced: true };
        changed.push(changedBy(member.batched.job, result));
        ends.push({ jobId, kind, acceptedAt, rowCount, ...end });
        outboxEntries.push(...(result.outboxEntries ?? []));
      }
      const stopped = group.members[ended.results.length]?.batched;
      if (stopped === undefined) continue;
      if (ended.failed) failed.push(stopped);
      later.length = 0;
    }
  }
  await recordChanges(trx, changed);
  return { ends, outboxEntries, failed };
}

/** A site of the batch, with its groups of jobs that are still to be applied. */
interface Lane {
  readonly site: BegunSite<ImportJob>;
  readonly groups: Group[];
}
