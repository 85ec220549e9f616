/** The model of the dispatch protocol against the code: random walks through the model are made by the real transactions. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import { withRetries } from '../../../db/with-retries.js';
import { IMPORT_HOOKS } from '../../../src/domain/imports/import-hooks.js';
import { prepareDefinitions } from '../../../src/domain/imports/prepare-definitions.js';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { beginJobs } from '../../../src/domain/jobs/begin/begin-jobs.js';
import { leaveBatch } from '../../../src/domain/jobs/begin/leave-batch.js';
import { beginAlone } from '../../../src/domain/jobs/begin-alone.js';
import { cancelJob } from '../../../src/domain/jobs/cancel-job.js';
import { advanceJob, finishChunk } from '../../../src/domain/jobs/chunks/advance-job.js';
import { closeChunks } from '../../../src/domain/jobs/chunks/atomic-chunks.js';
import { lockDueChunk } from '../../../src/domain/jobs/chunks/due-chunks.js';
import { sumCounts } from '../../../src/domain/jobs/chunks/sum-counts.js';
import { endJob } from '../../../src/domain/jobs/end-job.js';
import { endJobs } from '../../../src/domain/jobs/ends/end-jobs.js';
import { findBatches } from '../../../src/domain/jobs/find-batches.js';
import { splitBatch } from '../../../src/domain/jobs/job-batch.js';
import { lockJobStep } from '../../../src/domain/jobs/job-steps.js';
import { loadFrontsOf, release } from '../../../src/domain/jobs/order/site-order.js';
import { dueOf } from '../../../src/domain/jobs/order/turns.js';
import { recordPlan } from '../../../src/domain/jobs/plan-chunks.js';
import { presentEntries } from '../../../src/domain/jobs/present-entries.js';
import { redispatchLost } from '../../../src/domain/jobs/reconcile/lost/lost-steps.js';
import type { JobOutboxEntry } from '../../../src/queues/outbox.js';
import type { Shop } from '../../support/http/shop.js';
import { initialState, lineOf, type Move, movesFrom, type Scenario } from '../../support/models/dispatch-model.js';
import {
  type Entry,
  JobRowsModel,
  type JobSpec,
  type ModelJob,
  type Rows,
} from '../../support/models/job-rows-model.js';
import { pick, seededRandom } from '../../support/models/random.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** The window of the code (window.ts). */
const WINDOW = { ofJob: 6, ofSite: 12 };
const WALKS = 5;
const MOST_MOVES = 150;
const PLAN = {
  ...{ source: 'upload', bodyFormat: 'CSV', delimiter: ',', headerCells: ['SKU'], keyColumn: 0, lastRow: 9 },
  ...{ siteWasEmpty: false, reserved: {}, ordered: false },
} as const;
const APPLIED = { outcomes: ['c' as const], failures: [] };
const DEFERRED = { outcomes: ['-' as const], failures: [] };

const SMALL: JobSpec = { concurrent: false, small: true, passes: [] };
const SCENARIOS: Readonly<Record<string, readonly JobSpec[]>> = {
  'exclusive files, one with two passes': [
    { concurrent: false, passes: [1, 2, 1] },
    { concurrent: false, passes: [1, 1] },
  ],
  'concurrent files that fill the window of their site': [
    { concurrent: true, passes: Array.from({ length: 9 }, () => 1) },
    { concurrent: true, passes: Array.from({ length: 9 }, () => 1) },
    { concurrent: true, passes: [1, 1, 1] },
  ],
  'small exclusive jobs': [SMALL, SMALL, SMALL, SMALL],
  'small jobs, some of which are concurrent': [{ ...SMALL, concurrent: true }, { ...SMALL, concurrent: true }, SMALL],
};

describe('the model of the dispatch protocol', function () {
  this.timeout(120_000);
  let world: World;
  const made = new Map<string, number>();
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  for (const [name, specs] of Object.entries(SCENARIOS)) {
    it(`does what the code does: ${name}`, async () => {
      for (let seed = 1; seed <= WALKS; seed++) await walk(specs, seed);
    });
  }

  it('was walked through all its transactions', () => {
    const missing = TRANSACTIONS.filter((name) => !made.has(name));
    assert.deepEqual(missing, [], 'more walks, or other seeds, are needed');
    console.log(`      ${[...made.values()].reduce((sum, count) => sum + count, 0)} moves were compared`);
  });

  async function walk(specs: readonly JobSpec[], seed: number): Promise<void> {
    const random = seededRandom(seed);
    const model = new JobRowsModel(specs, WINDOW);
    const scenario: Scenario = { model, workers: 3, faults: 5, cancels: [0], failures: true };
    const site = new RealSite(world, await world.newShop(), model);
    const story: string[] = [];
    let state = initialState(scenario);
    for (let moves = movesFrom(scenario, state); moves.length > 0; moves = movesFrom(scenario, state)) {
      assert.ok(story.length < MOST_MOVES, 'the walk ends');
      const move = pick(random, preferred(moves, random()));
      story.push(lineOf(move));
      for (const name of variantsOf(move)) made.set(name, (made.get(name) ?? 0) + 1);
      const told = `seed ${seed}:\n${story.join('\n')}`;
      await site.make(move, state.rows, told);
      state = move.next;
      assert.deepEqual(await site.rows(), state.rows.map(compared), told);
    }
  }
});

/** What the walks have to contain. */
const TRANSACTIONS = [
  ...[
    'accept',
    'cancel',
    'pick up',
    'begin',
    'record',
    'apply',
    'advance',
    'finish',
    'find due',
    'release',
    'redispatch',
  ],
  ...['batch', 'apply, busy', 'batch, failing', 'pick up, split'],
];

function variantsOf({ name, isBusy, failing, task }: Move): string[] {
  if (isBusy) return [`${name}, busy`];
  if (failing !== null) return [`${name}, failing`];
  return name === 'pick up' && task.jobs.length > 0 ? [`${name}, split`] : [name];
}

/** Prefers the variants that are seldom possible, and avoids cancellations, so that most jobs go their whole way. */
function preferred(moves: readonly Move[], chance: number): readonly Move[] {
  const rare = moves.filter(({ isBusy, failing }) => isBusy || failing !== null);
  if (rare.length > 0 && chance < 0.3) return rare;
  const usual = moves.filter(({ name }) => name !== 'cancel');
  return usual.length === 0 || chance > 0.9 ? moves : usual;
}

/** The jobs of one site in Postgres, named by their index. */
class RealSite {
  readonly #ids: string[] = [];
  /** What findBatch has found about the site. */
  #facts: object = {};

  constructor(
    readonly world: World,
    readonly shop: Shop,
    readonly model: JobRowsModel,
  ) {}

  /** Makes the move's transaction, and compares what it reads. A fault, and what concerns the queue, changes no row. */
  async make(move: Move, before: Rows, told: string): Promise<void> {
    const { name, task, isBusy, failing } = move;
    const { db } = this.world;
    const { siteId } = this.shop.site;
    const { entry, job } = task;
    switch (name) {
      case 'accept':
        return this.#accept(job);
      case 'cancel':
        await cancelJob(db, JOB_TYPES, siteId, this.#id(job));
        return;
      case 'pick up':
        if (entry?.queue === 'plan') await this.#compareBatch(entry, before, told);
        if (task.jobs.length > 0) {
          const own = { jobId: this.#id(task.jobs[0] ?? 0), dispatch: 1 };
          await splitBatch(db, { ...(await this.#batch(task.jobs)), own }, true);
        }
        return;
      case 'find due': {
        const due = dueOf((await loadFrontsOf(db, [siteId])).get(siteId) ?? []).map(({ jobId }) =>
          this.#ids.indexOf(jobId),
        );
        return assert.deepEqual(due, this.model.due(before), told);
      }
      case 'release':
        await release(db, [siteId], (await this.#batch(task.jobs)).entries);
        return;
      case 'advance':
        await advanceJob(db, this.#id(job));
        return;
      case 'redispatch':
        if (entry !== null) await redispatchLost(db, this.#payload(entry));
        return;
      case 'begin':
        if (entry !== null) await this.#begin(entry, before, told);
        return;
      case 'record':
        if (entry !== null) await this.#record(entry);
        return;
      case 'apply':
        if (entry !== null)
          await this.#whileLocked(isBusy ? ADVISORY_LOCKS.chunkWindow : null, () => this.#apply(entry));
        return;
      case 'finish':
        if (entry !== null) await this.#finish(entry);
        return;
      case 'batch':
        if (entry === null) return;
        return this.#whileLocked(isBusy ? ADVISORY_LOCKS.begin : null, () => this.#runBatch(entry, task.jobs, failing));
    }
  }

  /** The rows, as far as the model has them. */
  async rows(): Promise<object[]> {
    const { db } = this.world;
    const orders = await db('job_order').where({ site_id: this.shop.siteId }).orderBy('position');
    const rows: object[] = [];
    for (const [index, { job_id: id, state, dispatch, batchable }] of orders.entries()) {
      const job = await db('job').where({ id }).first();
      const chunks = await db('job_chunk').where({ job_id: id }).orderBy('idx');
      rows.push({
        ...{ state, planToken: dispatch, batchable, step: job.step, token: job.dispatch },
        begun: job.started_at !== null,
        cancelled: job.status === 'CANCELLED' || job.status === 'CANCELLATION_IN_PROGRESS',
        waiting: job.plan?.waiting ?? 0,
        chunks: this.model.specs[index]?.small
          ? []
          : chunks.map((chunk) => ({
              ...{ status: chunk.status, token: chunk.dispatch, pass: chunk.wave },
              deferred: chunk.outcomes === '-',
            })),
      });
    }
    return rows;
  }

  async #accept(index: number): Promise<void> {
    const { concurrent = false, small } = this.model.specs[index] ?? {};
    const mode = concurrent ? 'insert' : 'upsert';
    const row = { sku: `s${index}`, nodeName: 'Disk', attributes: { Title: 'T' } };
    const accepted = small
      ? await this.world.acceptRows(this.shop, mode, [row])
      : await this.world.acceptFile(this.shop, 'x.csv', 'SKU,Category Node\ns,Disk\n', mode);
    this.#ids.push(accepted.jobId);
  }

  async #begin(entry: Entry, before: Rows, told: string): Promise<void> {
    const { db } = this.world;
    const jobId = this.#id(entry.job);
    await prepareDefinitions(db, jobId);
    const kind = await withRetries(db, async (trx) => {
      const outcome = await beginAlone(trx, { jobId, dispatch: entry.token }, IMPORT_HOOKS);
      if (outcome.kind !== 'begun' || this.model.specs[entry.job]?.small !== true) return outcome.kind;
      const applied = { rowCount: 1, result: { outcomes: [...APPLIED.outcomes], failures: [] } };
      const { definitionsVersion } = outcome;
      await endJob(trx, jobId, { status: 'COMPLETED', applied, definitionsVersion });
      return 'ended';
    });
    assert.equal(kind, this.model.begin(before, entry).result, told);
    if (kind !== 'stale') return;
    const present = this.model.present(before, entry.job).map((one) => this.#payload(one));
    assert.deepEqual(await presentEntries(db, jobId), present, told);
  }

  #record(entry: Entry): Promise<void> {
    return this.world.db.transaction(async (trx) => {
      const jobId = this.#id(entry.job);
      if ((await lockJobStep(trx, { jobId, dispatch: entry.token }, 'plan')) === undefined) return;
      const { passes = [] } = this.model.specs[entry.job] ?? {};
      const chunks = passes.map((_, idx) => ({
        firstRow: idx + 2,
        rowCount: 1,
        byteStart: 0,
        byteEnd: 1,
        duplicates: [],
      }));
      const job = { id: jobId, site_id: this.shop.siteId, isAtomic: false };
      await recordPlan(trx, job, PLAN, { chunks, totalRows: chunks.length });
    });
  }

  async #apply(entry: Entry): Promise<void> {
    const jobId = this.#id(entry.job);
    await withRetries(this.world.db, async (trx) => {
      const chunk = await lockDueChunk(trx, { jobId, chunk: entry.chunk, dispatch: entry.token });
      if (chunk === undefined) return;
      const passes = this.model.specs[entry.job]?.passes[entry.chunk] ?? 1;
      const result = chunk.wave === 0 && passes > 1 ? DEFERRED : APPLIED;
      const owner = { id: jobId, site_id: this.shop.siteId };
      await finishChunk(trx, owner, chunk, { outcomes: [...result.outcomes], failures: [] }, PLAN);
    });
  }

  async #finish(entry: Entry): Promise<void> {
    const { db } = this.world;
    const payload = { jobId: this.#id(entry.job), dispatch: entry.token };
    await closeChunks(db, { id: payload.jobId, status: 'IN_PROGRESS', isAtomic: false });
    await withRetries(db, async (trx) => {
      const row = await lockJobStep(trx, payload, 'finish');
      if (row === undefined) return;
      const status = row.status === 'CANCELLATION_IN_PROGRESS' ? 'CANCELLED' : 'COMPLETED';
      await endJob(trx, payload.jobId, { status, counts: await sumCounts(trx, payload.jobId) });
    });
  }

  async #compareBatch(entry: Entry, before: Rows, told: string): Promise<void> {
    const payload = { jobId: this.#id(entry.job), dispatch: entry.token };
    const { batches } = await findBatches(this.world.db, [payload], IMPORT_HOOKS);
    const [found] = batches;
    const jobs = found?.entries.map(({ jobId }) => this.#ids.indexOf(jobId)) ?? null;
    assert.deepEqual(jobs, this.model.findBatch(before, entry), told);
    if (found !== undefined) this.#facts = found.facts;
  }

  async #runBatch(entry: Entry, jobs: readonly number[], failing: number | null): Promise<void> {
    const { db } = this.world;
    const { siteId } = this.shop;
    const own = { jobId: this.#id(entry.job), dispatch: entry.token };
    const batch = { ...(await this.#batch(jobs)), own };
    await withRetries(db, async (trx) => {
      const [begun] = (await beginJobs(trx, [batch], IMPORT_HOOKS)).sites;
      if (begun === undefined) return;
      const { definitionsVersion } = begun;
      const failed = begun.jobs.findIndex(({ job }) => this.#ids.indexOf(job.id) === failing);
      const ending = failed < 0 ? begun.jobs : begun.jobs.slice(0, failed);
      const ends = ending.map(({ job }) => {
        const applied = { rowCount: 1, result: { outcomes: [...APPLIED.outcomes], failures: [] } };
        return { jobId: job.id, status: 'COMPLETED' as const, definitionsVersion, isAnnounced: true, applied };
      });
      await endJobs(trx, ends);
      const left = begun.jobs[failed];
      if (left !== undefined) await leaveBatch(trx, siteId, left.position);
    });
  }

  /** Jobs as findBatch returns them. */
  async #batch(jobs: readonly number[]) {
    const { siteId, account: accountId } = this.shop;
    const ids = jobs.map((index) => this.#id(index));
    const rows = await this.world.db('job_order').whereIn('job_id', ids).orderBy('position');
    const entries = rows.map(({ position, job_id: jobId, state, concurrent, batchable, dispatch }) => {
      return { position: Number(position), jobId, state, concurrent, batchable, dispatch };
    });
    return {
      siteId,
      accountId,
      facts: this.#facts,
      entries,
      concurrent: entries.every(({ concurrent }) => concurrent),
    };
  }

  /** Makes a transaction while another one holds an advisory lock of the site. */
  async #whileLocked(lock: number | null, work: () => Promise<void>): Promise<void> {
    if (lock === null) return work();
    await this.world.db.transaction(async (other: Knex.Transaction) => {
      await other.raw('SELECT pg_advisory_xact_lock(?, ?)', [lock, this.shop.siteId]);
      await work();
    });
  }

  #id(index: number): string {
    const id = this.#ids[index];
    assert.ok(id !== undefined, `job ${index} was accepted`);
    return id;
  }

  #payload({ queue, job, chunk, token }: Entry): JobOutboxEntry {
    const payload = { jobId: this.#id(job), dispatch: token };
    return queue === 'apply' ? { queue, payload: { ...payload, chunk } } : { queue, payload };
  }
}

/** A job of the model without its place in a batch that is over. */
function compared({ chunks, ...job }: ModelJob): object {
  return { ...job, chunks: chunks.map((chunk) => ({ ...chunk })) };
}
