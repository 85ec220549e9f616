/**
 * The rows of a site's jobs, and each transaction of the dispatch protocol as one pure function of them. What the code
 * decides by a pure function is decided by that function here too; what it decides in SQL is written again, and
 * test/integration/jobs/dispatch-model.test.ts compares the two.
 */

import { checkWindow, room } from '../../../src/domain/jobs/chunks/window.js';
import { batchOf, CONCURRENT_JOBS, dueOf, type FrontEntry, mayBegin } from '../../../src/domain/jobs/order/turns.js';
import { invariant, isCurrentToken } from '../../../src/domain/kernel/invariant.js';
import { nextPass } from '../../../src/domain/outcomes/model/passes.js';

/** What is accepted. */
export interface JobSpec {
  readonly concurrent: boolean;
  /** The rows of a request that may be executed in a batch; absent: a file. */
  readonly small?: true;
  /** The chunks of a file are applied one after another. */
  readonly ordered?: true;
  /** For each chunk of a file, how many passes apply it: 1 or 2. */
  readonly passes: readonly number[];
}

interface ModelChunk {
  readonly status: 'pending' | 'dispatched' | 'done' | 'cancelled';
  readonly token: number;
  readonly pass: number;
  /** Its row is deferred to another pass. */
  readonly deferred: boolean;
}

export interface ModelJob {
  readonly state: FrontEntry['state'] | 'e';
  /** Fencing token of the plan step. */
  readonly planToken: number;
  readonly batchable: boolean;
  readonly begun: boolean;
  readonly cancelled: boolean;
  readonly step: 'plan' | 'apply' | 'finish' | null;
  /** Fencing token of the finish step. */
  readonly token: number;
  /** Rows that were deferred when the current pass began. */
  readonly waiting: number;
  readonly chunks: readonly ModelChunk[];
}

/** The jobs of one site that were accepted, in the order of their positions. */
export type Rows = readonly ModelJob[];

export interface Entry {
  readonly id: string;
  readonly queue: 'plan' | 'apply' | 'finish';
  readonly job: number;
  readonly chunk: number;
  readonly token: number;
}

/** What a transaction left, and what it returned. */
export interface Committed<Result> {
  readonly rows: Rows;
  readonly result: Result;
}

export interface Window {
  readonly ofJob: number;
  readonly ofSite: number;
}

/** Bugs that an exploration is to find. */
export interface PlantedBugs {
  /** A step does not compare its fencing token (`token`), or neither the token nor the state (`all`), with the row. */
  readonly fenceIgnores?: 'token' | 'all';
  /** The reconciler never enqueues again what the queue has lost. */
  readonly reconcilerIsIdle?: true;
}

const entries = new Map<string, Entry>();

/** The entry of a step with this token: always the same object. */
function entryOf(queue: Entry['queue'], job: number, token: number, chunk = 0): Entry {
  const id = queue === 'apply' ? `apply ${job}.${chunk}#${token}` : `${queue} ${job}#${token}`;
  const entry = entries.get(id) ?? { id, queue, job, chunk, token };
  entries.set(id, entry);
  return entry;
}

/** The transactions of the protocol. Jobs are named by their index, which stands for their position. */
export class JobRowsModel {
  constructor(
    readonly specs: readonly JobSpec[],
    readonly window: Window,
    readonly bugs: PlantedBugs = {},
  ) {}

  /** Accepts the next job: acceptJobs. */
  accept(rows: Rows): Committed<Entry[]> {
    const spec = this.#spec(rows.length);
    const last = rows.at(-1);
    const held = spec.small === true && last?.batchable === true && (last.state === 'q' || last.state === 'h');
    const job: ModelJob = {
      state: held ? 'h' : 'q',
      planToken: 1,
      batchable: spec.small === true,
      begun: false,
      cancelled: false,
      step: 'plan',
      token: 0,
      waiting: 0,
      chunks: [],
    };
    return { rows: [...rows, job], result: held ? [] : [entryOf('plan', rows.length, 1)] };
  }

  /** loadFrontsOf: the first jobs that have not ended. */
  front(rows: Rows, limit: number = CONCURRENT_JOBS): FrontEntry[] {
    return rows
      .flatMap(({ state, batchable, planToken }, job) =>
        state === 'e' ? [] : [{ ...this.#place(job), jobId: String(job), state, batchable, dispatch: planToken }],
      )
      .slice(0, limit);
  }

  /** beginAlone; the rows of a request are applied, and their job is ended, in the same transaction. */
  begin(rows: Rows, entry: Entry): Committed<'stale' | 'held' | 'begun' | 'ended'> {
    const job = rowOf(rows, entry.job);
    if (!this.#isPlanStep(job, entry)) return { rows, result: 'stale' };
    if (!job.begun) {
      const mayRun = mayBegin(this.front(rows), this.#place(entry.job));
      if (!mayRun) return { rows: withJob(rows, entry.job, { ...job, state: 'h' }), result: 'held' };
    }
    if (this.#spec(entry.job).small) return { rows: this.#executeSmall(rows, [entry.job]), result: 'ended' };
    return { rows: withJob(rows, entry.job, { ...job, begun: true, state: 'r' }), result: 'begun' };
  }

  /** The transaction of planFileJob. */
  recordPlan(rows: Rows, entry: Entry): Committed<Entry[]> {
    const job = rowOf(rows, entry.job);
    if (!this.#isPlanStep(job, entry)) return { rows, result: [] };
    invariant(job.chunks.length === 0, `job ${entry.job}`, () => 'its chunks are recorded twice');
    const { passes, ordered = false } = this.#spec(entry.job);
    const chunks = passes.map(() => ({ status: 'pending', token: 0, pass: 0, deferred: false }) as const);
    return this.#openWindow(withJob(rows, entry.job, { ...job, step: 'apply', chunks }), entry.job, ordered);
  }

  /** findDueChunks. */
  isChunkDue(rows: Rows, { job: index, chunk: chunkIndex, token }: Entry): boolean {
    const job = rowOf(rows, index);
    const chunk = job.chunks[chunkIndex];
    if (chunk === undefined) return false;
    const isCurrent =
      isCurrentToken(`job ${index}, chunk ${chunkIndex}`, token, chunk.token) || this.bugs.fenceIgnores === 'token';
    return isCurrent && job.begun && !job.cancelled && job.step === 'apply' && chunk.status === 'dispatched';
  }

  /**
   * The transaction of applyJobChunk.
   * @param readPass the pass whose rows the worker has read before the transaction
   * @param oneOnly another job of the site fills its window at this moment
   * @returns null when the chunk is not due
   */
  applyChunk(rows: Rows, entry: Entry, readPass: number, oneOnly: boolean): Committed<Entry[] | null> {
    if (this.bugs.fenceIgnores !== 'all' && !this.isChunkDue(rows, entry)) return { rows, result: null };
    const job = rowOf(rows, entry.job);
    const chunk = chunkOf(job, entry.chunk);
    const owner = `job ${entry.job}, chunk ${entry.chunk}`;
    const isApplied = chunk.status !== 'dispatched' || readPass !== chunk.pass;
    invariant(!isApplied, owner, () => `pass ${readPass} is applied twice`);
    invariant(job.state === 'r', owner, () => 'it is applied while its job does not run');
    const deferred = chunk.pass === 0 && (this.#spec(entry.job).passes[entry.chunk] ?? 1) > 1;
    const applied = withChunk(job, entry.chunk, { ...chunk, status: 'done', deferred });
    const ordered = this.#spec(entry.job).ordered === true || chunk.pass > 0;
    const left = withJob(rows, entry.job, applied);
    const before = dispatchedIn(left, entry.job);
    return this.#dispatchNext(left, entry.job, ordered || oneOnly ? 1 : room(before, this.window));
  }

  /** advanceJob. */
  advance(rows: Rows, index: number): Committed<Entry[]> {
    const job = rowOf(rows, index);
    if (job.step !== 'apply' || job.chunks.some(({ status }) => status === 'dispatched')) return { rows, result: [] };
    const last = Math.max(0, ...job.chunks.map(({ pass }) => pass));
    const waiting = job.chunks.filter(({ deferred }) => deferred).length;
    if (job.chunks.some(({ status }) => status === 'pending')) {
      return this.#openWindow(rows, index, this.#spec(index).ordered === true || last > 0);
    }
    const pass = nextPass(last, job.waiting, waiting);
    if (pass === null) return this.#toFinish(rows, index, job);
    const chunks = job.chunks.map((chunk) => (chunk.deferred ? { ...chunk, pass, status: 'pending' as const } : chunk));
    return this.#openWindow(withJob(rows, index, { ...job, waiting, chunks }), index, true);
  }

  /** Whether finishFileJob goes on after it has read the job. */
  isFinishDue(rows: Rows, { job: index, token }: Entry): boolean {
    const job = rowOf(rows, index);
    return job.step === 'finish' && isCurrentToken(`job ${index}`, token, job.token);
  }

  /** The transactions of finishFileJob: closeChunks, and the one that ends the job. @returns whether it ended here */
  finish(rows: Rows, entry: Entry): Committed<boolean> {
    const closed = rowOf(rows, entry.job);
    const chunks = closed.chunks.map((chunk) =>
      chunk.status === 'done' ? chunk : { ...chunk, status: 'cancelled' as const },
    );
    const job = { ...closed, chunks };
    const isCurrent = isCurrentToken(`job ${entry.job}`, entry.token, job.token) || this.bugs.fenceIgnores === 'token';
    const isDue = isCurrent && job.step === 'finish';
    if (this.bugs.fenceIgnores !== 'all' && !isDue) return { rows: withJob(rows, entry.job, job), result: false };
    return { rows: withJob(rows, entry.job, ended(entry.job, job)), result: true };
  }

  /** cancelJob. @returns what to enqueue; null when the job ended here; undefined when it had ended, or is cancelled */
  cancel(rows: Rows, index: number): Committed<Entry[] | null | undefined> {
    const job = rowOf(rows, index);
    if (job.step === null || job.cancelled) return { rows, result: undefined };
    if (!job.begun) return { rows: withJob(rows, index, { ...ended(index, job), cancelled: true }), result: null };
    const cancelled = { ...job, cancelled: true };
    if (job.step === 'finish') return { rows: withJob(rows, index, cancelled), result: [] };
    return this.#toFinish(rows, index, cancelled);
  }

  /** presentEntries. */
  present(rows: Rows, index: number): Entry[] {
    const job = rowOf(rows, index);
    if (job.step === 'finish') return [entryOf('finish', index, job.token)];
    if (job.step !== 'apply') return [];
    return job.chunks.flatMap(({ status, token }, chunk) =>
      status === 'dispatched' ? [entryOf('apply', index, token, chunk)] : [],
    );
  }

  /** The jobs that releaseDue finds. */
  due(rows: Rows): number[] {
    return dueOf(this.front(rows)).map(({ position }) => position);
  }

  /** release: the second statement of releaseDue. */
  release(rows: Rows, due: readonly number[]): Committed<Entry[]> {
    let left = rows;
    const result: Entry[] = [];
    for (const index of due) {
      const job = rowOf(left, index);
      if (job.state !== 'h') continue;
      const planToken = job.planToken + 1;
      left = withJob(left, index, { ...job, state: 'q', planToken });
      result.push(entryOf('plan', index, planToken));
    }
    return { rows: left, result };
  }

  /** What the reconciler asks the queue for: overdueEntries, and the plan steps of reconcileOrders. */
  outstanding(rows: Rows): Entry[] {
    const front = this.front(rows).filter(({ state }) => state !== 'h');
    const plans = front.flatMap(({ position, dispatch }) =>
      rowOf(rows, position).step === 'plan' ? [entryOf('plan', position, dispatch)] : [],
    );
    return [...plans, ...rows.flatMap((_, index) => this.present(rows, index))];
  }

  /** redispatchLost. */
  redispatch(rows: Rows, entry: Entry): Committed<Entry[]> {
    const job = rowOf(rows, entry.job);
    if (entry.queue === 'plan') {
      if (job.step !== 'plan' || job.planToken !== entry.token) return { rows, result: [] };
      const planToken = job.planToken + 1;
      const left = withJob(rows, entry.job, { ...job, planToken });
      return { rows: left, result: [entryOf('plan', entry.job, planToken)] };
    }
    if (entry.queue === 'finish') {
      if (job.step !== 'finish' || job.token !== entry.token) return { rows, result: [] };
      return this.#toFinish(rows, entry.job, job);
    }
    const chunk = chunkOf(job, entry.chunk);
    if (chunk.status !== 'dispatched' || chunk.token !== entry.token) return { rows, result: [] };
    const token = chunk.token + 1;
    const left = withJob(rows, entry.job, withChunk(job, entry.chunk, { ...chunk, token }));
    return { rows: left, result: [entryOf('apply', entry.job, token, entry.chunk)] };
  }

  /** Whether stuckJobs finds the job. */
  isStuck(rows: Rows, index: number): boolean {
    const job = rowOf(rows, index);
    return job.step === 'apply' && job.chunks.every(({ status }) => status !== 'dispatched');
  }

  /** findBatch: the jobs that the plan step of one of them may execute together; null when it has to go by itself. */
  findBatch(rows: Rows, entry: Entry): number[] | null {
    const job = rowOf(rows, entry.job);
    if (!job.batchable || job.step !== 'plan' || job.begun || job.planToken !== entry.token) return null;
    const batch = batchOf(this.front(rows, rows.length), entry.job);
    return batch.length === 0 ? null : batch.map(({ position }) => position);
  }

  /** splitBatch. */
  split(rows: Rows, batch: readonly number[]): Rows {
    return rows.map((job, index) => (batch.includes(index) ? { ...job, batchable: false } : job));
  }

  /** beginJobs whose lock another transaction holds: holdWaiting. */
  holdWaiting(rows: Rows, entry: Entry): Rows {
    const job = rowOf(rows, entry.job);
    if (job.planToken !== entry.token || job.state !== 'q') return rows;
    return withJob(rows, entry.job, { ...job, state: 'h' });
  }

  /** The jobs that beginJobs begins. */
  batchMembers(rows: Rows, batch: readonly number[]): number[] {
    const concurrent = batch.every((index) => this.#spec(index).concurrent);
    const members: number[] = [];
    for (const [nth, index] of batch.entries()) {
      const job = rowOf(rows, index);
      if (job.step !== 'plan' || job.begun) continue;
      if (!concurrent && nth !== members.length) break;
      members.push(index);
    }
    return members;
  }

  /**
   * The transaction of a batch.
   * @param failing which of the begun jobs fails: those before it end, and it leaves the batch
   */
  runBatch(rows: Rows, entry: Entry, batch: readonly number[], failing: number | null): Committed<Entry[]> {
    const members = this.batchMembers(rows, batch);
    const left = members.includes(entry.job) ? rows : this.holdWaiting(rows, entry);
    const isFound = failing === null ? -1 : members.indexOf(failing);
    const applied = isFound < 0 ? members : members.slice(0, isFound);
    const done = this.#executeSmall(left, applied);
    if (failing === null) return { rows: done, result: [] };
    const job = rowOf(done, failing);
    const planToken = job.planToken + 1;
    const alone: ModelJob = { ...job, batchable: false, state: 'q', planToken };
    return { rows: withJob(done, failing, alone), result: [entryOf('plan', failing, planToken)] };
  }

  /** Asserts what holds in every state. */
  check(rows: Rows): void {
    const running = rows.flatMap(({ state }, index) => (state === 'r' ? [index] : []));
    const alone = running.length <= 1 || running.every((index) => this.#spec(index).concurrent);
    invariant(alone, 'the site', () => `jobs ${running.join(' and ')} run at the same time`);
    for (const index of running) {
      const ahead = rows.slice(0, index).findIndex((job, other) => {
        const beside = this.#spec(index).concurrent && this.#spec(other).concurrent;
        return job.state !== 'e' && !beside;
      });
      invariant(ahead < 0, `job ${index}`, () => `it runs before job ${ahead}, which comes first`);
    }
    let others = 0;
    let ofSite = 0;
    for (const [index, job] of rows.entries()) {
      // Those of a job that is being cancelled are refused.
      if (job.step !== 'apply') continue;
      const ofJob = job.chunks.filter(({ status }) => status === 'dispatched').length;
      invariant(ofJob <= this.window.ofJob, `job ${index}`, () => `${ofJob} of its chunks are dispatched`);
      if (ofJob > 0) others++;
      ofSite += ofJob;
    }
    const most = Math.max(this.window.ofSite + others - 1, others);
    invariant(ofSite <= most, 'the site', () => `${ofSite} of its chunks are dispatched`);
  }

  /** Asserts what holds between a state and one that follows from it: tokens do not fall, and an end is final. */
  checkStep(before: Rows, after: Rows): void {
    for (const [index, was] of before.entries()) {
      const is = rowOf(after, index);
      if (is === was) continue;
      const tokens = [was.planToken <= is.planToken, was.token <= is.token];
      tokens.push(...was.chunks.map(({ token }, chunk) => token <= chunkOf(is, chunk).token));
      invariant(tokens.every(Boolean), `job ${index}`, () => 'its fencing token has decreased');
      invariant(was.step !== null || is.state === 'e', `job ${index}`, () => 'it has ended, and is in the order again');
    }
  }

  #executeSmall(rows: Rows, indices: readonly number[]): Rows {
    let left = rows;
    for (const index of indices) {
      const job = rowOf(left, index);
      const first = left.findIndex((other, ahead) => {
        const beside = this.#spec(ahead).concurrent && this.#spec(index).concurrent;
        return ahead !== index && other.state !== 'e' && (ahead < index || other.state === 'r') && !beside;
      });
      invariant(first < 0, `job ${index}`, () => `it takes effect while job ${first} is open`);
      left = withJob(left, index, ended(index, { ...job, begun: true }));
    }
    return left;
  }

  #isPlanStep(job: ModelJob, { token }: Entry): boolean {
    if (this.bugs.fenceIgnores === 'all') return true;
    return job.step === 'plan' && (job.planToken === token || this.bugs.fenceIgnores === 'token');
  }

  #openWindow(rows: Rows, index: number, ordered: boolean): Committed<Entry[]> {
    return this.#dispatchNext(rows, index, ordered ? 1 : room(dispatchedIn(rows, index), this.window));
  }

  #dispatchNext(rows: Rows, index: number, count: number): Committed<Entry[]> {
    const job = rowOf(rows, index);
    const result: Entry[] = [];
    const chunks = job.chunks.map((chunk, nth) => {
      if (chunk.status !== 'pending' || result.length === count) return chunk;
      const token = chunk.token + 1;
      result.push(entryOf('apply', index, token, nth));
      return { ...chunk, status: 'dispatched' as const, token };
    });
    checkWindow(String(index), dispatchedIn(rows, index), result.length, this.window);
    return { rows: withJob(rows, index, { ...job, chunks }), result };
  }

  #toFinish(rows: Rows, index: number, job: ModelJob): Committed<Entry[]> {
    const token = job.token + 1;
    const left = withJob(rows, index, { ...job, step: 'finish', token });
    return { rows: left, result: [entryOf('finish', index, token)] };
  }

  #place(index: number) {
    return { position: index, concurrent: this.#spec(index).concurrent };
  }

  #spec(index: number): JobSpec {
    const spec = this.specs[index];
    if (spec === undefined) throw new Error(`the scenario has no job ${index}`);
    return spec;
  }
}

/** Both sides of this comparison are in the same transaction: see endJob. */
function ended(index: number, job: ModelJob): ModelJob {
  invariant(job.step !== null, `job ${index}`, () => 'it has ended already');
  return { ...job, state: 'e', step: null };
}

function dispatchedIn(rows: Rows, index: number): Window {
  let ofSite = 0;
  let ofJob = 0;
  for (const [nth, { step, chunks }] of rows.entries()) {
    if (step !== 'apply') continue;
    const count = chunks.filter(({ status }) => status === 'dispatched').length;
    ofSite += count;
    if (nth === index) ofJob = count;
  }
  return { ofJob, ofSite };
}

export function rowOf(rows: Rows, index: number): ModelJob {
  const job = rows[index];
  if (job === undefined) throw new Error(`there is no job ${index}`);
  return job;
}

function chunkOf(job: ModelJob, index: number): ModelChunk {
  const chunk = job.chunks[index];
  if (chunk === undefined) throw new Error(`there is no chunk ${index}`);
  return chunk;
}

function withJob(rows: Rows, index: number, job: ModelJob): Rows {
  return rows.map((other, nth) => (nth === index ? job : other));
}

function withChunk(job: ModelJob, index: number, chunk: ModelChunk): ModelJob {
  return { ...job, chunks: job.chunks.map((other, nth) => (nth === index ? chunk : other)) };
}
