/**
 * The dispatch protocol as a state machine: the rows of a site's jobs (job-rows-model.ts), a queue that delivers late,
 * twice or never, workers that die or stand still anywhere, the process that accepts jobs, and the reconciler. A move is
 * one transaction, or one conversation with the queue; between two moves of a process every other process may move.
 */
import { InvariantViolation } from '../../../src/domain/kernel/invariant.js';
import { type Entry, type JobRowsModel, type ModelJob, type Rows, rowOf } from './job-rows-model.js';

/** What a process does next. */
interface Task {
  readonly at:
    | 'batch'
    | 'begin'
    | 'record'
    | 'apply'
    | 'advance'
    | 'finish'
    | 'find due'
    | 'release'
    | 'redispatch'
    | 'send';
  /** What it was started for; null for a process that the queue did not start. */
  readonly entry: Entry | null;
  /** The job that it is about. */
  readonly job: number;
  /** Whether it still holds the queue's lock on its entry. If not, the queue has given the entry to others. */
  readonly owns: boolean;
  /** The pass that it has read. */
  readonly pass: number;
  /** The jobs of a batch, or those to release. */
  readonly jobs: readonly number[];
  /** What it has to enqueue. */
  readonly entries: readonly Entry[];
}

/** An entry that the queue has, and no worker. */
interface Waiting {
  readonly entry: Entry;
  /** It was started before, by a worker that did not end it. */
  readonly again: boolean;
}

export interface State {
  readonly rows: Rows;
  readonly waiting: readonly Waiting[];
  readonly workers: readonly (Task | null)[];
  readonly web: Task | null;
  readonly reconciler: Task | null;
  /** How many faults may still happen. */
  readonly faults: number;
}

type Actor = 'worker' | 'web' | 'reconciler';

/** One step of one process, or a fault. */
export interface Move {
  readonly name: Task['at'] | 'accept' | 'cancel' | 'pick up' | 'find' | 'death' | 'stall' | 'loss' | 'flush';
  readonly actor: Actor | 'queue';
  readonly isFault: boolean;
  /** The entry, the jobs and the pass that it is about. */
  readonly task: Task;
  /** A variant: another transaction holds the lock that it tries to get. */
  readonly isBusy: boolean;
  /** A variant: this job of the batch fails. */
  readonly failing: number | null;
  /** A variant: what becomes of the process between its commit and its enqueueing. */
  readonly interrupted: 'ends' | 'stands still' | null;
  readonly next: State;
}

export interface Scenario {
  readonly model: JobRowsModel;
  readonly workers: number;
  readonly faults: number;
  /** Jobs that a client may cancel, at any moment. */
  readonly cancels?: readonly number[];
  /** A job of a batch may fail; this counts as a fault. */
  readonly failures?: true;
}

const IDLE: Task = { at: 'send', entry: null, job: -1, owns: false, pass: 0, jobs: [], entries: [] };

export function initialState({ workers, faults }: Scenario): State {
  return {
    rows: [],
    waiting: [],
    workers: Array.from({ length: workers }, () => null),
    web: null,
    reconciler: null,
    faults,
  };
}

/** Whether all jobs were accepted, and have ended. */
export function isOver({ model }: Scenario, { rows }: State): boolean {
  return rows.length === model.specs.length && rows.every(({ step }) => step === null);
}

/** @returns every move that is possible in a state. @throws InvariantViolation when one violates an invariant */
export function movesFrom(scenario: Scenario, state: State): Move[] {
  const moves = new Moves(scenario, state);
  moves.ofQueue();
  moves.ofWeb();
  moves.ofReconciler();
  for (const [index, task] of state.workers.entries()) {
    if (task !== null) moves.ofTask('worker', task, (next) => ({ workers: replaced(state.workers, index, next) }));
  }
  if (state.faults > 0) moves.faults();
  return moves.found;
}

type Change = Partial<State>;

const STEP = { isFault: false, isBusy: false, failing: null, interrupted: null } as const;

class Moves {
  readonly found: Move[] = [];
  readonly #model: JobRowsModel;

  constructor(
    readonly scenario: Scenario,
    readonly state: State,
  ) {
    this.#model = scenario.model;
  }

  /** The queue gives an entry to a worker, which reads first, outside of a transaction. */
  ofQueue(): void {
    const { waiting, workers, rows } = this.state;
    const free = workers.indexOf(null);
    if (free < 0) return;
    for (const [index, { entry, again }] of waiting.entries()) {
      const rest = waiting.filter((_, other) => other !== index);
      const { task, left, split = [] } = this.#started(rows, entry, again);
      this.#add(
        'pick up',
        'worker',
        { ...IDLE, entry, job: entry.job, jobs: split },
        {
          rows: left,
          waiting: rest,
          workers: replaced(workers, free, task),
        },
      );
    }
  }

  /** @returns `split`: the jobs of a batch that are executed one by one, because a worker did not end it */
  #started(rows: Rows, entry: Entry, again: boolean): { task: Task | null; left: Rows; split?: readonly number[] } {
    const task: Task = { ...IDLE, at: 'begin', entry, job: entry.job, owns: true };
    if (entry.queue === 'finish') {
      return { task: this.#model.isFinishDue(rows, entry) ? { ...task, at: 'finish' } : null, left: rows };
    }
    if (entry.queue === 'apply') {
      if (!this.#model.isChunkDue(rows, entry)) return { task: null, left: rows };
      const pass = rowOf(rows, entry.job).chunks[entry.chunk]?.pass ?? 0;
      return { task: { ...task, at: 'apply', pass }, left: rows };
    }
    const batch = this.#model.findBatch(rows, entry);
    if (batch === null) return { task, left: rows };
    if (again) return { task, left: this.#model.split(rows, batch), split: batch };
    return { task: { ...task, at: 'batch', jobs: batch }, left: rows };
  }

  /** Jobs are accepted one after another; each is enqueued after its commit. */
  ofWeb(): void {
    const { rows, web } = this.state;
    if (web !== null) return this.ofTask('web', web, (next) => ({ web: next }));
    if (rows.length < this.#model.specs.length) {
      const accepted = this.#model.accept(rows);
      this.#answered('accept', rows.length, accepted.rows, accepted.result.length === 0 ? null : accepted.result);
    }
    for (const job of this.scenario.cancels ?? []) {
      if (job >= rows.length) continue;
      const { rows: left, result } = this.#model.cancel(rows, job);
      if (result === undefined) continue;
      this.#answered('cancel', job, left, result);
    }
  }

  /** @param entries what to enqueue; null: what is due is to be released */
  #answered(name: 'accept' | 'cancel', job: number, rows: Rows, entries: readonly Entry[] | null): void {
    const task = { ...IDLE, job };
    if (entries === null) return this.#add(name, 'web', task, { rows, web: { ...IDLE, at: 'find due' } });
    this.#add(name, 'web', task, { rows, waiting: this.#enqueued(entries) });
    if (this.state.faults === 0 || entries.length === 0) return;
    const faults = this.state.faults - 1;
    const web: Task = { ...IDLE, entries };
    this.#add(name, 'web', task, { rows, faults }, { isFault: true, interrupted: 'ends' });
    this.#add(name, 'web', task, { rows, faults, web }, { isFault: true, interrupted: 'stands still' });
  }

  /**
   * The reconciler compares the rows with the queue, in any order. That it stands still between what it has read and what
   * it does is a fault.
   */
  ofReconciler(): void {
    const { rows, reconciler, faults } = this.state;
    if (reconciler !== null) return this.ofTask('reconciler', reconciler, (next) => ({ reconciler: next }));
    const put = (next: Task | null) => ({ reconciler: next });
    const start = (task: Task) => {
      this.ofTask('reconciler', task, put);
      const stall = { isFault: true, interrupted: 'stands still' } as const;
      if (faults > 0) this.#add('find', 'reconciler', task, { faults: faults - 1, reconciler: task }, stall);
    };
    if (this.#model.bugs.reconcilerIsIdle !== true) {
      for (const entry of this.#model.outstanding(rows)) {
        if (this.#isPending(entry) || this.#isAboutToSend(entry)) continue;
        start({ ...IDLE, at: 'redispatch', entry, job: entry.job });
      }
    }
    for (const job of rows.keys()) {
      if (this.#model.isStuck(rows, job) && !this.#isAbout('advance', job)) start({ ...IDLE, at: 'advance', job });
    }
    const due = this.#model.due(rows);
    if (due.length > 0 && !this.#isAbout('release', -1)) start({ ...IDLE, at: 'release', jobs: due });
  }

  /** The next step of a process, in all its variants. */
  ofTask(actor: Actor, task: Task, put: (next: Task | null) => Change): void {
    try {
      this.#variantsOf(actor, task, put);
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error;
      throw new InvariantViolation(`${lineOf({ ...STEP, name: task.at, actor, task })}: ${error.message}`);
    }
  }

  #variantsOf(actor: Actor, task: Task, put: (next: Task | null) => Change): void {
    const { rows } = this.state;
    const { entry, job } = task;
    const model = this.#model;
    const add = (change: Change, next: Task | null, variant: Partial<Move> = {}) => {
      // A process that moves at all enqueues at once what it has committed: nothing that others do meanwhile depends on
      // it. Only a process that stands still, or ends, does so late or never.
      const isPrompt = actor !== 'worker' || task.owns;
      if (next?.at !== 'send' || !isPrompt)
        return this.#add(task.at, actor, task, { ...change, ...put(next) }, variant);
      const sent = this.#enqueued(next.entries);
      this.#add(task.at, actor, task, { ...change, ...put(null), waiting: sent }, variant);
      if (this.state.faults === 0 || variant.isFault) return;
      const fault = { ...variant, isFault: true };
      const interrupted = { ...change, faults: this.state.faults - 1, waiting: this.#returned(task) };
      this.#add(task.at, actor, task, { ...interrupted, ...put(null) }, { ...fault, interrupted: 'ends' });
      const late = put({ ...next, owns: false });
      this.#add(task.at, actor, task, { ...interrupted, ...late }, { ...fault, interrupted: 'stands still' });
    };
    const send = (entries: readonly Entry[]) =>
      entries.length === 0 ? null : { ...task, at: 'send' as const, entries };
    const goOn = (at: Task['at']): Task => ({ ...task, at, jobs: [] });
    switch (task.at) {
      case 'send':
        return add({ waiting: this.#enqueued(task.entries) }, null);
      case 'find due': {
        const due = model.due(rows);
        return add({}, due.length === 0 ? send(task.entries) : { ...task, at: 'release', jobs: due });
      }
      case 'release': {
        const released = model.release(rows, task.jobs);
        return add({ rows: released.rows }, send([...task.entries, ...released.result]));
      }
      case 'advance': {
        const advanced = model.advance(rows, job);
        return add({ rows: advanced.rows }, send(advanced.result));
      }
    }
    if (entry === null) throw new Error(`${task.at} needs an entry`);
    switch (task.at) {
      case 'redispatch': {
        const again = model.redispatch(rows, entry);
        return add({ rows: again.rows }, send(again.result));
      }
      case 'begin': {
        const begun = model.begin(rows, entry);
        if (begun.result === 'stale') return add({}, send(model.present(rows, job)));
        return add({ rows: begun.rows }, goOn(begun.result === 'begun' ? 'record' : 'find due'));
      }
      case 'record': {
        const planned = model.recordPlan(rows, entry);
        return add({ rows: planned.rows }, send(planned.result));
      }
      case 'apply': {
        for (const isBusy of this.#isLockTried(task) ? [false, true] : [false]) {
          const applied = model.applyChunk(rows, entry, task.pass, isBusy);
          const next = applied.result ?? [];
          add({ rows: applied.rows }, next.length > 0 ? send(next) : { ...goOn('advance'), pass: 0 }, { isBusy });
        }
        return;
      }
      case 'finish': {
        const finished = model.finish(rows, entry);
        return add({ rows: finished.rows }, finished.result ? goOn('find due') : null);
      }
      case 'batch': {
        const run = model.runBatch(rows, entry, task.jobs, null);
        add({ rows: run.rows }, goOn('find due'));
        if (this.#isOtherInTransaction(task)) {
          add({ rows: model.holdWaiting(rows, entry) }, goOn('find due'), { isBusy: true });
        }
        if (this.scenario.failures !== true || this.state.faults === 0) return;
        for (const failing of model.batchMembers(rows, task.jobs)) {
          const failed = model.runBatch(rows, entry, task.jobs, failing);
          // What it enqueues and what it releases are enqueued together.
          const next: Task = { ...goOn('find due'), entries: failed.result };
          add({ rows: failed.rows, faults: this.state.faults - 1 }, next, { failing, isFault: true });
        }
      }
    }
  }

  faults(): void {
    const { workers, web, reconciler, waiting } = this.state;
    const faults = this.state.faults - 1;
    const add = (name: Move['name'], actor: Move['actor'], task: Task, change: Change) =>
      this.#add(name, actor, task, { faults, ...change }, { isFault: true });
    for (const [index, task] of workers.entries()) {
      if (task === null) continue;
      const returned = this.#returned(task);
      add('death', 'worker', task, { waiting: returned, workers: replaced(workers, index, null) });
      const frozen = { ...task, owns: false };
      if (task.owns) add('stall', 'worker', task, { waiting: returned, workers: replaced(workers, index, frozen) });
    }
    if (web !== null) add('death', 'web', web, { web: null });
    if (reconciler !== null) add('death', 'reconciler', reconciler, { reconciler: null });
    for (const { entry } of waiting) {
      const rest = waiting.filter((other) => other.entry !== entry);
      add('loss', 'queue', { ...IDLE, entry, job: entry.job }, { waiting: rest });
    }
    const owned = workers.filter((task) => task?.owns === true).length;
    if (waiting.length > 1 || owned > 0) {
      const freed = workers.map((task) => (task === null ? null : { ...task, owns: false }));
      add('flush', 'queue', IDLE, { waiting: [], workers: freed });
    }
  }

  #add(name: Move['name'], actor: Move['actor'], task: Task, change: Change, variant: Partial<Move> = {}): void {
    const changed = { ...this.state, ...change };
    if (changed.rows !== this.state.rows) {
      this.#model.check(changed.rows);
      this.#model.checkStep(this.state.rows, changed.rows);
    }
    const next = this.#normalised(changed);
    this.found.push({ ...STEP, name, actor, task, ...variant, next });
  }

  /** Removes entries that are over for good: a worker that picks one up reads the row and leaves. */
  #normalised(state: State): State {
    const { rows } = state;
    return {
      ...state,
      waiting: state.waiting.filter(({ entry }) => !this.#isOver(rows, entry)),
      workers: state.workers.map((task) => this.#remaining(rows, task)),
      web: this.#remaining(rows, state.web),
      reconciler: this.#remaining(rows, state.reconciler),
    };
  }

  /** Skips what would change nothing, now and later: a transaction that the fence refuses, a release of nothing. */
  #remaining(rows: Rows, task: Task | null): Task | null {
    if (task === null || this.#model.bugs.fenceIgnores !== undefined) return task;
    const { at, entry, job, jobs, entries } = task;
    if (entry !== null && at === 'apply' && !this.#model.isChunkDue(rows, entry)) {
      return this.#remaining(rows, { ...task, at: 'advance', pass: 0 });
    }
    if (at === 'advance') return rowOf(rows, job).step === 'apply' ? task : null;
    if (entry !== null && at === 'finish') return this.#model.isFinishDue(rows, entry) ? task : null;
    if (entry !== null && at === 'record') {
      const { step, planToken } = rowOf(rows, job);
      return step === 'plan' && planToken === entry.token ? task : null;
    }
    if (at === 'release' && entries.length === 0) {
      return jobs.some((index) => rowOf(rows, index).state === 'h') ? task : null;
    }
    if (at === 'send') return entries.every((sent) => this.#isOver(rows, sent)) ? null : task;
    return task;
  }

  #isOver(rows: Rows, entry: Entry): boolean {
    if (rowOf(rows, entry.job).step === null) return true;
    if (this.#model.bugs.fenceIgnores !== undefined || entry.queue === 'plan') return false;
    return entry.queue === 'apply' ? !this.#model.isChunkDue(rows, entry) : !this.#model.isFinishDue(rows, entry);
  }

  /** The queue ignores an entry that it has, or that a worker has picked up. */
  #enqueued(entries: readonly Entry[]): readonly Waiting[] {
    let { waiting } = this.state;
    for (const entry of entries) if (!this.#isPending(entry)) waiting = withEntry(waiting, entry, false);
    return waiting;
  }

  /** The queue gives an entry to others that a worker has picked up and not completed. */
  #returned({ owns, entry }: Task): readonly Waiting[] {
    const { waiting } = this.state;
    if (!owns || entry === null) return waiting;
    // How often it was started matters for batches only.
    return withEntry(waiting, entry, entry.queue === 'plan' && this.#model.specs[entry.job]?.small === true);
  }

  /** Whether the queue has the entry, or a worker that holds the queue's lock on it. */
  #isPending(entry: Entry): boolean {
    const { waiting, workers } = this.state;
    if (waiting.some((other) => other.entry === entry)) return true;
    return workers.some((task) => task?.owns === true && task.entry === entry);
  }

  /** The processes that do what they are about to do within the reconciler's grace: those that stand still do not. */
  *#prompt(): Generator<Task> {
    for (const task of this.state.workers) if (task?.owns === true) yield task;
    if (this.state.web !== null && this.state.web.at !== 'send') yield this.state.web;
  }

  #isAboutToSend(entry: Entry): boolean {
    for (const task of this.#prompt()) if (task.entries.includes(entry)) return true;
    return false;
  }

  #isAbout(what: 'advance' | 'release', job: number): boolean {
    for (const task of this.#prompt()) {
      if (
        what === 'advance' ? task.at === 'advance' && task.job === job : task.at === 'release' || task.at === 'find due'
      )
        return true;
    }
    return false;
  }

  /** Whether the lock of the site's window may be held by another chunk's transaction at this moment. */
  #isLockTried(own: Task): boolean {
    return this.#othersOf(own).some(({ at }) => at === 'apply' || at === 'record' || at === 'advance');
  }

  /** Whether the lock under which jobs begin may be held by another worker at this moment. */
  #isOtherInTransaction(own: Task): boolean {
    return this.#othersOf(own).some(({ at }) => at === 'batch' || at === 'begin');
  }

  #othersOf(own: Task): Task[] {
    const tasks = [...this.state.workers, this.state.reconciler];
    return tasks.filter((task) => task !== null).filter((task) => task !== own);
  }
}

function withEntry(waiting: readonly Waiting[], entry: Entry, again: boolean): readonly Waiting[] {
  const others = waiting.filter((other) => other.entry !== entry);
  return [...others, { entry, again }].sort((a, b) => compare(a.entry.id, b.entry.id));
}

function replaced(workers: State['workers'], index: number, task: Task | null): State['workers'] {
  return workers.map((other, nth) => (nth === index ? task : other));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * A text that two states share if they have the same future. Of a fencing token only the order matters, of what has ended
 * nothing, and which worker is which neither.
 */
export function keyOfState({ rows, waiting, workers, web, reconciler, faults }: State): string {
  const refs = planTokens({ waiting, workers, web, reconciler });
  let key = String(faults);
  for (const [index, job] of rows.entries()) key += `|${keyOfJob(job, refs[index])}`;
  key += '/';
  for (const { entry, again } of waiting) key += keyOfEntry(entry, rows, refs) + (again ? '!' : ',');
  const keys = workers.map((task) => keyOfTask(task, rows, refs)).sort();
  for (const task of keys) key += `/${task}`;
  return `${key}/${keyOfTask(web, rows, refs)}/${keyOfTask(reconciler, rows, refs)}`;
}

type Refs = readonly (readonly number[] | undefined)[];

/** For each job, the tokens of its plan step that somebody has, in order. */
function planTokens({
  waiting,
  workers,
  web,
  reconciler,
}: Pick<State, 'waiting' | 'workers' | 'web' | 'reconciler'>): Refs {
  const refs: number[][] = [];
  const note = ({ queue, job, token }: Entry) => {
    if (queue !== 'plan') return;
    const tokens = refs[job] ?? [];
    refs[job] = tokens;
    if (!tokens.includes(token)) tokens.push(token);
  };
  for (const { entry } of waiting) note(entry);
  for (const task of [...workers, web, reconciler]) {
    if (task === null) continue;
    if (task.entry !== null) note(task.entry);
    for (const entry of task.entries) note(entry);
  }
  for (const tokens of refs) tokens?.sort((a, b) => a - b);
  return refs;
}

const chunkKeys = new WeakMap<ModelJob['chunks'], string>();

function keyOfJob(
  { state, planToken, batchable, begun, cancelled, step, waiting, chunks }: ModelJob,
  refs: readonly number[] = [],
): string {
  if (step === null) return 'e';
  const flags = (batchable ? 1 : 0) + (begun ? 2 : 0) + (cancelled ? 4 : 0);
  const key = `${state}${step[0]}${flags}${refs.indexOf(planToken)}`;
  if (step !== 'apply') return key;
  let ofChunks = chunkKeys.get(chunks);
  if (ofChunks === undefined) {
    ofChunks = chunks.map(({ status, pass, deferred }) => `${status[1]}${pass}${deferred ? '*' : ''}`).join('');
    chunkKeys.set(chunks, ofChunks);
  }
  return `${key}${waiting}${ofChunks}`;
}

function keyOfEntry({ queue, job: index, chunk, token }: Entry, rows: Rows, refs: Refs): string {
  const job = rowOf(rows, index);
  if (queue === 'plan') return `p${index}${refs[index]?.indexOf(token)}`;
  if (queue === 'finish') return `f${index}${job.token === token ? '' : '-'}`;
  return `a${index}${chunk}${job.chunks[chunk]?.token === token ? '' : '-'}`;
}

function keyOfTask(task: Task | null, rows: Rows, refs: Refs): string {
  if (task === null) return '';
  const { at, entry, job, owns, pass, jobs, entries } = task;
  let key = at + (entry === null ? job : keyOfEntry(entry, rows, refs)) + (owns ? 1 : 0) + pass;
  if (jobs.length > 0) key += `:${jobs.join('')}`;
  for (const sent of entries) key += keyOfEntry(sent, rows, refs);
  return key;
}

/** Tells a move as one line of a story. */
export function lineOf({ name, actor, task, isBusy, failing, interrupted }: Omit<Move, 'next'>): string {
  const about = task.entry?.id ?? (task.job >= 0 ? `job ${task.job}` : '');
  const subject = actor === 'queue' ? 'the queue' : `the ${actor}`;
  const detail = [
    ...(task.jobs.length > 0 ? [`jobs ${task.jobs.join(', ')}`] : []),
    ...(name === 'send' ? [task.entries.map(({ id }) => id).join(', ')] : []),
    ...(isBusy ? ['the lock is held by another'] : []),
    ...(failing === null ? [] : [`job ${failing} fails`]),
    ...(interrupted === null ? [] : [`it commits, and ${interrupted} before it enqueues what follows`]),
  ].join('; ');
  const what: Partial<Record<Move['name'], string>> = {
    death: `ends before it could ${task.at}`,
    stall: `stands still before it can ${task.at}, and the queue takes its entry for stalled`,
    loss: 'loses',
    flush: 'loses everything',
  };
  return [`${subject}: ${what[name] ?? name}`, about, detail].filter((part) => part !== '').join(' · ');
}
