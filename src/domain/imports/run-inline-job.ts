/** Executes jobs whose rows came in their requests, alone or several in one transaction: planned, applied and finished. */
import type { Knex } from 'knex';
import { isLostRace } from '../../../db/with-retries.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { BatchedJob, BegunSite } from '../jobs/begin-batch.js';
import { endJob } from '../jobs/end-job.js';
import { abortedEnd, dryRunEnd, type EndingJob, endOf } from '../jobs/model/job-end.js';
import {
  type ChunkCounts,
  type ChunkResult,
  countOutcomes,
  FIRST_PASS,
  OUTCOME,
  warningsWithin,
} from '../kernel/chunk-result.js';
import type { ImportJob } from './import-jobs.js';
import { importsAtomically } from './import-options.js';
import { siteIsEmpty } from './items/resolve/stored-item.js';
import { BEFORE_ROWS } from './items/write/write-items.js';
import { applyInput, readInput, readLines } from './pipeline/apply-input.js';
import { KeyTracker } from './pipeline/find-duplicates.js';
import { loadApplier } from './pipeline/load-applier.js';
import type { AppliedRows, RowApplier, RowReaderName } from './pipeline/row-applier.js';

/**
 * Runs the job to its end. The transaction has begun the job and has locked its row.
 * @returns what to enqueue once it has committed, in addition to what the end of the job enqueues
 */
export async function runInlineJob(
  trx: Knex.Transaction,
  job: ImportJob,
  definitionsVersion: number,
  reader: RowReaderName,
): Promise<readonly OutboxEntry[]> {
  const applier = await loadApplier(trx, job, definitionsVersion, null);
  const { options } = job;
  const input = await readInput(trx, job.id);
  if (importsAtomically(options)) await trx.raw('SAVEPOINT before_job');
  const siteWasEmpty = job.kind === 'item' && (await siteIsEmpty(trx, job.site_id));
  const result = await applyInput(trx, applier, { job, input }, siteWasEmpty, reader);
  const counts = countOutcomes(result.outcomes);
  const aborted = options.onError === 'abort' && counts.failed > 0;
  if (aborted || options.validateOnly) await trx.raw('ROLLBACK TO SAVEPOINT before_job');
  const rowCount = job.total_count ?? 0;
  if (aborted && !options.validateOnly) {
    const undone = { created: 0, updated: 0, unchanged: 0, failed: counts.failed };
    await endJob(trx, job.id, {
      ...abortedEnd(counts.failed),
      counts: undone,
      applied: { rowCount, result: nothingApplied(result) },
    });
    return [];
  }
  const end = options.validateOnly ? dryRunEnd(counts) : endOf(counts);
  await endJob(trx, job.id, { ...end, applied: { rowCount, result } });
  return result.outboxEntries ?? [];
}

/** The result of an aborted job: its failures remain, and all other rows count as not applied, without warnings. */
function nothingApplied({ outcomes, failures }: ChunkResult): ChunkResult {
  const isFailure = (outcome: string) => outcome === OUTCOME.failed || outcome === OUTCOME.duplicate;
  return { outcomes: outcomes.map((outcome) => (isFailure(outcome) ? outcome : OUTCOME.deferred)), failures };
}

// Small jobs of any sites in one transaction.

/**
 * A batch begins no further round, and applies no further job by itself, after so long: with the last one, which may wait
 * for a lock for a quarter of a second, it holds its sites for less than a second.
 */
const BATCH_MS = 500;

/** The savepoint before a job that is applied by itself. */
const BEFORE_JOB = 'before_job_of_batch';

/** What came of one job of a batch. */
export interface BatchedEnd extends EndingJob {
  readonly kind: string;
  readonly acceptedAt: Date;
  readonly rowCount: number;
  readonly counts: ChunkCounts;
}

/** What came of a batch within its transaction. */
interface AppliedBatch {
  readonly ends: readonly BatchedEnd[];
  /** What to enqueue once the transaction has committed, besides what the ends ask for. */
  readonly outboxEntries: readonly OutboxEntry[];
  /**
   * Jobs that could not be executed here, at most one a site; they and those after them are still to be executed. So are
   * jobs that are neither among these nor among the ends: the time of the batch was over.
   */
  readonly failed: readonly BatchedJob<ImportJob>[];
}

/**
 * Applies the rows of a batch's jobs, those of a site in order. Jobs whose rows cannot influence each other are applied
 * together: one statement reads, and one writes, the rows of all of them. A job that fails is undone by itself, and ends
 * the batch for its site.
 */
export async function applyBatch(
  trx: Knex.Transaction,
  sites: readonly BegunSite<ImportJob>[],
  reader: RowReaderName,
): Promise<AppliedBatch> {
  const ends: BatchedEnd[] = [];
  const outboxEntries: OutboxEntry[] = [];
  const failed: BatchedJob<ImportJob>[] = [];
  const lanes: Lane[] = [];
  const endsBy = performance.now() + BATCH_MS;
  const isOver = () => performance.now() >= endsBy;
  for (const site of sites) lanes.push({ site, groups: await groupsOf(trx, site) });
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
        ends.push({ jobId, kind, acceptedAt, rowCount, ...end });
        outboxEntries.push(...(result.outboxEntries ?? []));
      }
      const stopped = group.members[ended.results.length]?.batched;
      if (stopped === undefined) continue;
      if (ended.failed) failed.push(stopped);
      later.length = 0;
    }
  }
  return { ends, outboxEntries, failed };
}

/** A site of the batch, with its groups of jobs that are still to be applied. */
interface Lane {
  readonly site: BegunSite<ImportJob>;
  readonly groups: Group[];
}

/** Jobs of one site whose rows may be applied in one call. */
interface Group {
  readonly members: GroupMember[];
  /** Whether their rows may be applied together with those of other sites. */
  readonly joins: boolean;
}

interface GroupMember {
  readonly batched: BatchedJob<ImportJob>;
  readonly applier: RowApplier;
}

/** Puts neighbours into one group whose rows may be applied in one call: no two of them have the same key. */
async function groupsOf(trx: Knex.Transaction, { jobs, definitionsVersion }: BegunSite<ImportJob>): Promise<Group[]> {
  const groups: Group[] = [];
  let taken = new Set<string>();
  let joinKey: string | undefined;
  for (const batched of jobs) {
    const applier = await loadApplier(trx, batched.job, definitionsVersion, null);
    const keys = await distinctKeys(applier, batched.input);
    const joins = keys !== null && applier.join !== undefined;
    const group = groups.at(-1);
    if (group !== undefined && joins && applier.join?.key === joinKey && keys.every((key) => !taken.has(key))) {
      group.members.push({ batched, applier });
      for (const key of keys) taken.add(key);
    } else {
      groups.push({ members: [{ batched, applier }], joins });
      taken = new Set(keys ?? []);
      joinKey = joins ? applier.join?.key : undefined;
    }
  }
  return groups;
}

/** The keys of a job's rows; null when two rows have the same. */
async function distinctKeys(applier: RowApplier, input: string): Promise<string[] | null> {
  if (applier.join === undefined || applier.keyField === undefined) return null;
  const keys = new KeyTracker(applier);
  await keys.trackLines(Buffer.from(input), applier.keyField);
  return keys.superseded().size > 0 ? null : [...keys.keys()];
}

/** What came of a group: the results of its first jobs, in order. Nothing of the others is applied. */
interface AppliedGroup {
  readonly results: AppliedRows[];
  /** Whether the job after the last result failed; otherwise the time was over. */
  readonly failed: boolean;
}

const LEFT_OUT: AppliedGroup = { results: [], failed: false };

/** Applies one group of each site. @param isOver whether the time of the batch is over: no further job is begun then */
async function applyRound(
  trx: Knex.Transaction,
  groups: readonly Group[],
  reader: RowReaderName,
  isOver: () => boolean,
): Promise<AppliedGroup[]> {
  const joined = groups.filter(({ joins }) => joins);
  const together = new Map<Group, AppliedRows[]>();
  const jointly =
    joined.length === 0 ? null : await undoneIfFailed(trx, BEFORE_ROWS, () => applyJointly(trx, joined, reader));
  for (const [nth, group] of joined.entries()) {
    const result = jointly?.[nth];
    if (result !== undefined && result !== null) together.set(group, shareOut(group, result));
  }
  const all: AppliedGroup[] = [];
  // One job is tried however late it is, or nothing would ever be done.
  let tried = together.size > 0;
  for (const group of groups) {
    const results = together.get(group);
    if (results !== undefined) all.push({ results, failed: false });
    else if (tried && isOver()) all.push(LEFT_OUT);
    else all.push(await applyOneByOne(trx, group, reader, isOver));
    tried = true;
  }
  return all;
}

async function applyOneByOne(
  trx: Knex.Transaction,
  { members }: Group,
  reader: RowReaderName,
  isOver: () => boolean,
): Promise<AppliedGroup> {
  const results: AppliedRows[] = [];
  for (const { batched, applier } of members) {
    if (results.length > 0 && isOver()) return { results, failed: false };
    const result = await undoneIfFailed(trx, BEFORE_JOB, () => applyInput(trx, applier, batched, false, reader));
    if (result === null) return { results, failed: true };
    results.push(result);
  }
  return { results, failed: false };
}

/** Applies the rows of several groups. @returns null for a group of which nothing was applied: rows refer to others */
async function applyJointly(
  trx: Knex.Transaction,
  groups: readonly Group[],
  reader: RowReaderName,
): Promise<(AppliedRows | null)[] | null> {
  const parts = [];
  const done: (() => void)[] = [];
  for (const { members } of groups) {
    const [first] = members;
    if (first?.applier.join === undefined) return null;
    const { applier, batched } = first;
    const input = members.map((member) => member.batched.input).join('\n');
    const read = await readLines(applier, Buffer.from(input), input, reader);
    done.push(() => applier.done(read));
    const context = { jobId: batched.job.id, duplicates: new Map(), reserved: {}, siteWasEmpty: false, guarded: true };
    parts.push(first.applier.join.part(read, { ...context, pass: FIRST_PASS }));
  }
  const results = await groups[0]?.members[0]?.applier.join?.apply(trx, parts);
  for (const each of done) each();
  return results ?? null;
}

/** Gives each job its part of a joint result, its rows numbered from 1. */
function shareOut({ members }: Group, { outcomes, failures, warnings }: AppliedRows): AppliedRows[] {
  let before = 0;
  return members.map(({ batched: { job } }) => {
    const first = before;
    before += job.total_count ?? 0;
    const own = failures.filter(({ row }) => row > first && row <= before);
    return {
      outcomes: outcomes.slice(first, before),
      failures: own.map((failure) => ({ ...failure, row: failure.row - first })),
      warnings: warnings === undefined ? undefined : warningsWithin(warnings, first + 1, before + 1, first),
    };
  });
}

/** @returns null when the work threw, or answered null: nothing of it is left in the transaction */
async function undoneIfFailed<T>(
  trx: Knex.Transaction,
  savepoint: string,
  work: () => Promise<T | null>,
): Promise<T | null> {
  await trx.raw(`SAVEPOINT ${savepoint}`);
  try {
    const done = await work();
    if (done !== null) return done;
  } catch (error) {
    if (isLostRace(error)) throw error;
  }
  await trx.raw(`ROLLBACK TO SAVEPOINT ${savepoint}`);
  return null;
}
