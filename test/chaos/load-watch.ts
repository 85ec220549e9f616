/**
 * Watches how long the processes of a run wait for a CPU, because others use the machine. A lock can then expire although
 * nothing is broken, and nothing can be concluded from how long something takes. Linux only: elsewhere nothing is seen.
 */
import { readFileSync } from 'node:fs';

/** A stretch of time, in milliseconds since 1970. */
interface Stretch {
  readonly beganAt: number;
  endedAt: number;
}

interface Sample {
  readonly at: number;
  /** How long this process and the one that waited most have waited since the sample before. */
  readonly waitedMs: number;
}

const EVERY_MS = 500;
const NANOSECONDS = 1e6;

export class LoadWatch {
  /** When the machine was overloaded. */
  readonly stretches: Stretch[] = [];
  readonly #waited = new Map<number, number>();
  readonly #recent: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  /**
   * @param pids the processes that run now; their connections go through this process
   * @param lockMs how long a lock of a worker lives. It is renewed in the middle of its life, so it can expire when its
   *   process and this one wait for half of that time
   */
  constructor(
    readonly pids: () => readonly number[],
    readonly lockMs: number,
  ) {
    this.#timer = setInterval(() => this.#look(), EVERY_MS);
    this.#timer.unref();
  }

  /** For how long the machine has been overloaded so far, in milliseconds. */
  get overloadedMs(): number {
    return this.stretches.reduce((sum, { beganAt, endedAt }) => sum + endedAt - beganAt, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const at = Date.now();
    const ours = this.#newlyWaited(process.pid);
    const theirs = this.pids().map((pid) => this.#newlyWaited(pid));
    this.#recent.push({ at, waitedMs: ours + Math.max(0, ...theirs) });
    while ((this.#recent[0]?.at ?? at) < at - this.lockMs) this.#recent.shift();
    if (this.#recent.reduce((sum, { waitedMs }) => sum + waitedMs, 0) < this.lockMs / 2) return;
    const beganAt = this.#recent[0]?.at ?? at;
    const last = this.stretches.at(-1);
    if (last !== undefined && last.endedAt >= beganAt) last.endedAt = at;
    else this.stretches.push({ beganAt, endedAt: at });
  }

  #newlyWaited(pid: number): number {
    const total = waitedMs(pid);
    const before = this.#waited.get(pid);
    this.#waited.set(pid, total);
    return before === undefined ? 0 : total - before;
  }
}

/** How long the main thread of a process has been ready to run and had no CPU, since its start. */
function waitedMs(pid: number): number {
  return scheduledMs(pid).waited;
}

/** How long the main thread of a process has had something to do since its start, whether or not it had a CPU. */
export function busyMs(pid: number): number {
  const { ran, waited } = scheduledMs(pid);
  return ran + waited;
}

function scheduledMs(pid: number): { readonly ran: number; readonly waited: number } {
  try {
    const [ran = '0', waited = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return { ran: Number(ran) / NANOSECONDS, waited: Number(waited) / NANOSECONDS };
  } catch {
    // It has ended, or the system does not say.
    return { ran: 0, waited: 0 };
  }
}
