/** One chaos run: a system, lanes that use it, a schedule of faults, quiescence, and the audit. */
import { setTimeout as delay } from 'node:timers/promises';
import { audit } from './audit/audit.js';
import { type FaultWindow, judgeRepetitions } from './audit/excuses.js';
import { type Cluster, startCluster } from './cluster.js';
import { LoadWatch } from './load-watch.js';
import { untilQuiet } from './quiescence.js';
import { type ChaosReceiver, startChaosReceiver } from './receiving.js';
import { type ChaosBackend, describeFault, type Fault, type StoreKind } from './schedule.js';
import { SETTINGS } from './settings.js';
import { type Lane, type LaneName, openLanes } from './workload.js';

export interface ChaosRun {
  readonly seed: number;
  readonly backend: ChaosBackend;
  /** Default: a folder. */
  readonly store?: StoreKind | undefined;
  /** How long work is accepted, in milliseconds. */
  readonly forMs: number;
  readonly faults: readonly Fault[];
  readonly lanes: readonly LaneName[];
  /** The name of a bug that the processes are to have. */
  readonly inject?: string | undefined;
}

export interface ChaosOutcome {
  /** A sentence for each promise that was broken; empty: the run has passed. */
  readonly violations: readonly string[];
  /** What happened when, in order. */
  readonly story: readonly string[];
  /** What was accepted, and how long the system took to end it after the last fault. */
  readonly summary: string;
}

/** After the last fault everything ends within this time, on a machine that has a CPU for it. A delivery that timed out waits for a minute. */
const QUIET_WITHIN_MS = 180_000;
/** A request that is still repeated ends so long after the last fault. */
const ANSWERED_WITHIN_MS = 60_000;

export async function runChaos(run: ChaosRun): Promise<ChaosOutcome> {
  const receiver = await startChaosReceiver(run.seed);
  try {
    const cluster = await startCluster(run);
    try {
      return await new Run(run, cluster, receiver).execute();
    } finally {
      await cluster.stop();
    }
  } finally {
    await receiver.stop();
  }
}

class Run {
  readonly #windows: FaultWindow[] = [];
  readonly #story: { readonly at: number; readonly text: string }[] = [];
  readonly #violations: string[] = [];
  readonly #load: LoadWatch;
  #beganAt = 0;

  constructor(
    readonly run: ChaosRun,
    readonly cluster: Cluster,
    readonly receiver: ChaosReceiver,
  ) {
    this.#load = new LoadWatch(() => cluster.processes.pids, Number(SETTINGS.WORKER_LOCK_MS));
  }

  async execute(): Promise<ChaosOutcome> {
    const { seed, faults, forMs } = this.run;
    const onViolation = (text: string) => {
      this.#note(text);
      this.#violations.push(text);
    };
    const onSlow = (text: string) => this.#note(text);
    const lanes = await openLanes(this.cluster, {
      ...{ seed, onViolation, onSlow, lanes: this.run.lanes, receiverUrl: this.receiver.url },
    });
    const openBefore = new Map([...this.cluster.processes.openFiles()].map(([name, open]) => [name, open.length]));
    this.#beganAt = Date.now();
    const working = lanes.map((lane) =>
      lane.run(this.#beganAt + forMs).catch((error) => onViolation(sentence(lane, error))),
    );
    await Promise.all(faults.map((fault) => this.#suffer(fault)));
    await delay(Math.max(0, this.#beganAt + forMs - Date.now()));
    this.receiver.heal();
    await this.cluster.heal().catch((error: unknown) => onViolation(String(error)));
    const healedAt = Date.now();
    this.#note('every fault is over');
    for (const { client } of lanes) client.endsAt = healedAt + ANSWERED_WITHIN_MS;
    await Promise.all(working);
    const overloadedMs = () => this.#load.overloadedMs;
    const left = await untilQuiet(this.cluster, QUIET_WITHIN_MS, overloadedMs, (waiting) =>
      this.#note(`still open: ${waiting.join(', ')}`),
    );
    this.#load.stop();
    const quietMs = Date.now() - healedAt;
    this.#note(left.length === 0 ? 'everything has ended' : 'not everything has ended');
    this.#violations.push(...left.map((what) => `${what} did not end within ${QUIET_WITHIN_MS / 1000} s`));
    for (const { client } of lanes) client.endsAt = Date.now() + ANSWERED_WITHIN_MS;
    for (const { beganAt, endedAt } of this.#load.stretches) {
      this.#note(`the machine is overloaded for ${endedAt - beganAt} ms`, beganAt);
    }
    const overloads = this.#load.stretches.map((stretch) => ({ ...stretch, cause: { kind: 'overload' } as const }));
    const windows = [...this.#windows, ...this.#unexpectedEnds(), ...overloads];
    const audited = { cluster: this.cluster, lanes, receiver: this.receiver, windows, openBefore };
    const broken = await audit(audited).catch((error: unknown) => [`the audit was cut short: ${String(error)}`]);
    this.#violations.push(...this.cluster.processes.problems, ...broken);
    if (this.#violations.length > 0) for (const line of this.cluster.processes.lastErrors()) this.#note(line);
    const { excused } = judgeRepetitions(this.receiver.accepted, windows);
    const repeated = `; ${excused} requests were received again because of a fault`;
    const overloaded = `; the machine was overloaded for ${Math.round(overloadedMs() / 1000)} s`;
    const summary = `${summaryOf(lanes, faults.length, quietMs)}${repeated}${overloaded}`;
    return { violations: this.#violations, story: this.#told(), summary };
  }

  async #suffer(fault: Fault): Promise<void> {
    await delay(Math.max(0, this.#beganAt + fault.atMs - Date.now()));
    const beganAt = Date.now();
    this.#note(
      `fault ${fault.number}: ${describeFault(fault, this.run.store)}${fault.forMs > 0 ? `, for ${fault.forMs} ms` : ''}`,
    );
    if (
      fault.kind === 'full' &&
      fault.target !== 'redis' &&
      !(fault.target === 'store' ? this.cluster.store : this.cluster).hasDisk
    ) {
      this.#note(`fault ${fault.number} is left out: only root may mount a disk`);
      return;
    }
    const openFiles = await this.cluster.begin(fault);
    await delay(fault.forMs);
    await this.cluster.end(fault);
    this.#note(`fault ${fault.number} is over`);
    this.#windows.push({ cause: fault, beganAt, endedAt: Date.now(), openFiles });
  }

  /** A process that ends because its database is away is started again, as a launcher does. */
  #unexpectedEnds(): FaultWindow[] {
    return this.cluster.processes.unexpectedEnds.map(({ process, how, at }) => {
      this.#note(`${process} ended by itself: ${how}`, at);
      return { cause: { kind: 'ended', target: process }, beganAt: at, endedAt: at };
    });
  }

  #note(text: string, at = Date.now()): void {
    this.#story.push({ at, text });
  }

  #told(): string[] {
    const inOrder = this.#story.toSorted((one, other) => one.at - other.at);
    return inOrder.map(({ at, text }) => `${((at - this.#beganAt) / 1000).toFixed(2).padStart(7)} s  ${text}`);
  }
}

function sentence({ name }: Lane, error: unknown): string {
  return `${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}

function summaryOf(lanes: readonly Lane[], faults: number, quietMs: number): string {
  const count = (of: (lane: Lane) => readonly unknown[]) => lanes.reduce((sum, lane) => sum + of(lane).length, 0);
  const accepted = `${count(({ jobs }) => jobs)} jobs, ${count((lane) => lane.exports)} exports and ${count(({ events }) => events)} events`;
  return `${faults} faults; ${accepted} were accepted, and ended ${(quietMs / 1000).toFixed(1)} s after the last fault`;
}
