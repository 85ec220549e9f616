/**
 * The queue jobs that a process executes at the same time share transactions: the more wait, the larger these are.
 */
import { IMPORT_HOOKS } from '../../domain/imports/import-hooks.js';
import { findBatches } from '../../domain/jobs/find-batches.js';
import type { FoundBatch } from '../../domain/jobs/model/found-batch.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { createSemaphore } from '../../platform/limits/semaphore.js';
import type { planBatch } from '../../queues/contracts/plan-batch.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { WorkerServices } from '../context.js';
import type { AfterStep, RowsOfJobs } from '../handler.js';
import { type BatchServices, runBatch } from './run-batch.js';

export type Steps = PayloadOf<typeof planBatch>['steps'];

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
    readonly services: BatchServices,
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
    for (const { accountId } of batches) services.contention?.notice(accountId);
    await after.send(services, alone);
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

export function joinBatch(
  after: AfterStep,
  rowsOfJobs: RowsOfJobs,
  services: WorkerServices,
  steps: Steps,
): Promise<void> {
  const batches = batchesOf.get(services) ?? new Batches(after, { ...services, rowsOfJobs });
  batchesOf.set(services, batches);
  return batches.execute(steps);
}
