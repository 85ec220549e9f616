/** Begins a job when its turn has come: applies the rows of a request at once, or finds the chunks of a file. */
import type { Knex } from 'knex';
import { withRetries } from '../../../db/with-retries.js';
import type { Config } from '../../config/config.js';
import { IMPORT_HOOKS, type ImportJob, prepareDefinitions } from '../../domain/imports/import-jobs.js';
import { planFileJob } from '../../domain/imports/plan-file-job.js';
import { applyBatch, type BatchedEnd, runInlineJob } from '../../domain/imports/run-inline-job.js';
import { beginBatch } from '../../domain/jobs/begin-batch.js';
import { type BeginOutcome, beginJob } from '../../domain/jobs/begin-job.js';
import { endJobs } from '../../domain/jobs/end-job.js';
import { type FoundBatch, findBatches } from '../../domain/jobs/find-batches.js';
import { enqueueAlone, holdUnfinished, leaveBatch, splitBatch } from '../../domain/jobs/job-batch.js';
import { presentEntries } from '../../domain/jobs/job-steps.js';
import { releaseDue, releaseDueOf } from '../../domain/jobs/release-jobs.js';
import type { ChunkCounts } from '../../domain/kernel/chunk-result.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { Contention } from '../../platform/concurrency/contention.js';
import { FailureBackoff } from '../../platform/concurrency/failure-backoff.js';
import { createPermits } from '../../platform/concurrency/permits.js';
import { createSemaphore } from '../../platform/concurrency/semaphore.js';
import { withPriority } from '../../platform/time-slice.js';
import type { planBatch } from '../../queues/contracts/plan-batch.js';
import type { planJob } from '../../queues/contracts/plan-job.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { WorkerServices } from '../context.js';
import type { AfterStep, Handler } from '../handler.js';
import { runInline } from '../inline-execution.js';
import { Snooze } from '../snooze.js';

/**
 * Large requests that run at the same time: one computes while the database stores the rows of the other. More would
 * not be faster, and each needs about 20 MB. Accounts take turns.
 */
const AT_ONCE = 2;
const largeRequests = createPermits(AT_ONCE);
/** While others use the process, an account has so many of them in it: they would hold all places, one for each site. */
const OF_ACCOUNT = 2;
/** The others go back to the queue, and return one after another: about as many in a second as are executed. */
const RETURN_MS = { each: 50, longest: 5_000 };

export function planJobHandler(after: AfterStep): Handler<PayloadOf<typeof planJob>> {
  return {
    jobOf: ({ jobId }) => jobId,

    async run(services, payload, signal, starts = 1) {
      const { db, fileStore, config } = services;
      const { jobId, dispatch } = payload;
      const { batches } = await findBatches(db, [payload], IMPORT_HOOKS);
      noticeAccounts(services, batches);
      if (starts === 1 && batches.length > 0) {
        await runBatch(after, services, batches);
        return;
      }
      for (const batch of batches) await splitBatch(db, batch, true);
      const { accountId, isFile, small } = await prepareDefinitions(db, jobId);
      const { rejections, contention } = accountsOf(services);
      // Without an account, the job is gone.
      if (accountId !== '') contention.notice(accountId);
      if (isFile && contention.isContended()) {
        const pauseMs = rejections.waitMs(accountId);
        if (pauseMs > 0) throw new Snooze(pauseMs);
      }
      let began = 0;
      const begin = () =>
        withRetries(db, (trx) => {
          began = performance.now();
          return beginAndRun(trx, payload, config.importReader);
        });
      const beginInTurn = () => inTurn(services, accountId, begin);
      // To begin a file is little work: its rows are read afterwards.
      const { begun: outcome, outboxEntries } = await (small ? withPriority(begin) : isFile ? begin() : beginInTurn());
      // An earlier run of this step may have ended before it enqueued what follows. Enqueueing it twice is harmless.
      if (outcome.kind === 'stale') return after.send(services, await presentEntries(db, jobId, starts > 1));
      // A job that ended after this step read the front did not see that this job is held.
      if (outcome.kind === 'held') return after.send(services, await releaseDue(db, outcome.siteId));
      const { type, total_count: rows } = outcome.job;
      services.logger.info({ jobId, type, ...(rows === null ? {} : { rows }) }, 'a job has begun');
      if (outcome.job.input_file_id === null) {
        await after.afterEnd(services, jobId, (performance.now() - began) / 1000);
        return after.send(services, outboxEntries);
      }
      const files = { db, fileStore, chunkRows: config.chunkRows };
      const planned = await planFileJob(files, outcome.job, dispatch, outcome.definitionsVersion, signal);
      if (planned.isOneChunk) await runInline(after, services, planned.outboxEntries, signal);
      else await after.send(services, planned.outboxEntries);
      if (planned.ended) {
        rejections.failed(accountId);
        await after.afterEnd(services, jobId);
      } else rejections.succeeded(accountId);
    },

    suspected: (services, payload) => after.stepSuspected(services, { queue: 'plan', payload }),
    failed: after.stepFailed,
  };
}

// A rejected file costs as much as one that is imported, and a client that sends such files in a loop sends many.

/** While others use the process, the files of an account begin later after so many rejected ones in a row. */
const REJECTIONS = { free: 4, firstMs: 50, longestMs: 1_000 };

/** @throws Snooze when the account has too many large requests in the process */
async function inTurn<T>(services: WorkerServices, account: string, work: () => Promise<T>): Promise<T> {
  const { contention, large } = accountsOf(services);
  const own = large.get(account) ?? { inside: 0, lastReturn: 0 };
  large.set(account, own);
  if (own.inside >= OF_ACCOUNT && contention.isContended()) {
    const now = performance.now();
    own.lastReturn = Math.min(Math.max(own.lastReturn, now) + RETURN_MS.each, now + RETURN_MS.longest);
    throw new Snooze(Math.ceil(own.lastReturn - now));
  }
  own.inside++;
  const permit = await largeRequests.take(account);
  try {
    return await work();
  } finally {
    permit.leave();
    own.inside--;
    if (own.inside === 0) large.delete(account);
  }
}

/** The accounts whose jobs a process begins. */
interface Accounts {
  readonly contention: Contention;
  /** Those that have large requests in the process: how many, and when the last of the others returns from the queue. */
  readonly large: Map<string, { inside: number; lastReturn: number }>;
  /** Those whose files were rejected one after another. */
  readonly rejections: FailureBackoff;
}

const accountsByProcess = new WeakMap<WorkerServices, Accounts>();

function accountsOf(services: WorkerServices): Accounts {
  let accounts = accountsByProcess.get(services);
  if (accounts === undefined) {
    accounts = { contention: new Contention(), large: new Map(), rejections: new FailureBackoff(REJECTIONS) };
    accountsByProcess.set(services, accounts);
  }
  return accounts;
}

function noticeAccounts(services: WorkerServices, batches: readonly FoundBatch[]): void {
  const { contention } = accountsOf(services);
  for (const { accountId } of batches) contention.notice(accountId);
}

/** Executes small jobs together. Those that cannot be executed so are enqueued one by one. */
export function planBatchHandler(after: AfterStep): Handler<PayloadOf<typeof planBatch>> {
  return {
    run: (services, { steps }, _signal, starts = 1) =>
      // More than one start: a worker ended while it executed them, and this process executes nothing else.
      starts === 1 ? joinBatch(after, services, steps) : runOneByOne(after, services, steps),

    async failed(services, { steps }, error, failure) {
      if (failure?.kind === 'death') {
        await splitFirst(after, services, steps);
        return undefined;
      }
      const delayMs = failure?.kind === 'outage' ? await after.batchMetOutage(services, steps, failure) : null;
      if (delayMs !== null) throw new Snooze(delayMs);
      const { length: count } = steps;
      services.logger.warn({ err: error, count }, 'a batch of jobs failed; each of them is executed by itself');
      await splitSteps(after, services, steps);
      return undefined;
    },
  };
}

type Steps = PayloadOf<typeof planBatch>['steps'];

/** Executes the jobs of one site after those of another, so that the end of this process tells which site is the reason. */
async function runOneByOne(after: AfterStep, services: WorkerServices, steps: Steps): Promise<void> {
  const { batches, alone } = await findBatches(services.db, steps, IMPORT_HOOKS);
  await after.send(services, enqueueAlone(alone));
  for (const batch of batches) await runBatch(after, services, [batch]);
}

/** The process of runOneByOne has ended: the first site that is left is the reason, or one of its jobs. */
async function splitFirst(after: AfterStep, services: WorkerServices, steps: Steps): Promise<void> {
  const { batches } = await findBatches(services.db, steps, IMPORT_HOOKS);
  const [first] = batches;
  if (first === undefined) throw new Error('a process ended that had no small jobs to execute');
  services.logger.warn({ siteId: first.siteId }, 'small jobs have ended a process; each of them is executed by itself');
  await splitBatch(services.db, first, true);
  await after.send(services, enqueueAlone([{ ...first.own, suspect: true }]));
}

async function splitSteps(after: AfterStep, services: WorkerServices, steps: Steps): Promise<void> {
  const { batches, alone } = await findBatches(services.db, steps, IMPORT_HOOKS);
  for (const batch of batches) await splitBatch(services.db, batch, false);
  await after.send(services, enqueueAlone([...alone, ...batches.map(({ own }) => own)]));
}

// The queue jobs that a process executes at the same time share transactions: the more wait, the larger these are.

/** Transactions that run at the same time: one computes while the other is committed. */
const BATCHES = 2;
/** Queue jobs that share a transaction, each with the steps of up to 64 jobs. */
const MERGED = 8;

/**
 * How long the jobs of a site are kept apart from those of other sites after one of them has failed in a batch: each
 * failure has all jobs of the batch applied again, after a wait if it was for a lock.
 */
const APART_MS = 10_000;
/** The most sites that are kept apart; beyond these, the first ones are no longer. */
const MOST_APART = 10_000;
/** Transactions of sites that are kept apart. */
const APART_AT_ONCE = 2;

/** Executes what the queue jobs of one process ask for. */
class Batches {
  readonly #join: (steps: Steps) => Promise<{ readonly apart: Promise<unknown> }>;
  /** Site → until when it is kept apart, on the clock of performance.now(). */
  readonly #apart = new Map<number, number>();
  readonly #alone = createSemaphore(APART_AT_ONCE);

  constructor(
    readonly after: AfterStep,
    readonly services: WorkerServices,
  ) {
    this.#join = createBatcher({
      lingerMs: 0,
      maxItems: MERGED,
      parallel: BATCHES,
      run: async (items) => {
        const result = await this.#run(items.flat());
        return items.map(() => result);
      },
    });
  }

  async execute(steps: Steps): Promise<void> {
    // Sites that are kept apart do not keep the next batch waiting.
    await (await this.#join(steps)).apart;
  }

  /** @returns what is still to be done for sites that are kept apart */
  async #run(steps: Steps): Promise<{ readonly apart: Promise<unknown> }> {
    const { after, services } = this;
    const { batches, alone } = await findBatches(services.db, steps, IMPORT_HOOKS);
    noticeAccounts(services, batches);
    await after.send(services, enqueueAlone(alone));
    const isApart = ({ siteId }: FoundBatch) => (this.#apart.get(siteId) ?? 0) > performance.now();
    const kept = batches.filter(isApart);
    const apart = Promise.all(kept.map((batch) => this.#alone(() => this.#runBatch([batch]))));
    // If the batch below fails, so do all of its queue jobs, whatever becomes of these.
    apart.catch(() => undefined);
    await this.#runBatch(batches.filter((batch) => !kept.includes(batch)));
    return { apart };
  }

  async #runBatch(batches: readonly FoundBatch[]): Promise<void> {
    for (const siteId of await runBatch(this.after, this.services, batches)) {
      this.#apart.delete(siteId);
      this.#apart.set(siteId, performance.now() + APART_MS);
      if (this.#apart.size > MOST_APART) this.#apart.delete(this.#apart.keys().next().value ?? 0);
    }
  }
}

const batchesOf = new WeakMap<WorkerServices, Batches>();

function joinBatch(after: AfterStep, services: WorkerServices, steps: Steps): Promise<void> {
  const batches = batchesOf.get(services) ?? new Batches(after, services);
  batchesOf.set(services, batches);
  return batches.execute(steps);
}

/**
 * How long a job is delayed that was held because another transaction was at its site: that one may still be running, and
 * the job would be held again at once.
 */
const HELD_PAUSE_MS = 50;

/** Executes small requests in one transaction. @returns the sites of which a job could not be executed so */
async function runBatch(
  after: AfterStep,
  services: WorkerServices,
  batches: readonly FoundBatch[],
): Promise<readonly number[]> {
  if (batches.length === 0) return [];
  const { db, logger, config } = services;
  let began = 0;
  const run = () =>
    withRetries(db, async (trx) => {
      began = performance.now();
      const { sites, heldSiteIds } = await beginBatch(trx, batches, IMPORT_HOOKS);
      const { ends, outboxEntries, failed } = await applyBatch(trx, sites, config.importReader);
      const ended = await endJobs(trx, ends);
      const entries = [...outboxEntries];
      for (const { job, position } of failed) {
        logger.info({ jobId: job.id }, 'a job could not be executed within its batch, and is executed by itself');
        entries.push(...(await leaveBatch(trx, job.site_id, position)));
      }
      const executed = new Set([...ends.map(({ jobId }) => jobId), ...failed.map(({ job }) => job.id)]);
      // The others were held when it was seen that they cannot begin.
      const begun = new Set(sites.map(({ siteId }) => siteId));
      await holdUnfinished(
        trx,
        batches.filter(({ siteId }) => begun.has(siteId)),
        executed,
      );
      return { ends, ended, entries, heldSiteIds, failedSiteIds: failed.map(({ job }) => job.site_id) };
    });
  const { ends, ended, entries, heldSiteIds, failedSiteIds } = await withPriority(run);
  noteBatch(services, ends, (performance.now() - began) / 1000);
  const siteIds = batches.flatMap(({ siteId }) => (heldSiteIds.includes(siteId) ? [] : [siteId]));
  await after.send(services, [...entries, ...(await after.endsFollowed(services, ended, siteIds))]);
  await after.send(services, await releaseDueOf(db, heldSiteIds), HELD_PAUSE_MS);
  return failedSiteIds;
}

/** Logs and counts the jobs of a batch that was committed. Types share its time by their rows. */
function noteBatch({ logger, metrics }: WorkerServices, ends: readonly BatchedEnd[], seconds: number): void {
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

/** Begins a job. A job with the rows of a request begins and ends in this one transaction. */
async function beginAndRun(
  trx: Knex.Transaction,
  payload: PayloadOf<typeof planJob>,
  reader: Config['importReader'],
): Promise<{ readonly begun: BeginOutcome<ImportJob>; readonly outboxEntries: readonly OutboxEntry[] }> {
  const begun = await beginJob(trx, payload, IMPORT_HOOKS);
  if (begun.kind === 'begun' && begun.job.input_file_id === null) {
    return { begun, outboxEntries: await runInlineJob(trx, begun.job, begun.definitionsVersion, reader) };
  }
  return { begun, outboxEntries: [] };
}
