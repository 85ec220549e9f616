/**
 * Ends a process that makes no progress: its event loop stands still, or nothing of its work advances although the
 * database answers others. Its supervisor starts it again; others take over what it held, when its locks expire. See
 * docs/decisions/0080-a-watchdog-ends-what-stands-still.md.
 */
import { Worker } from 'node:worker_threads';
import { sayLast } from './last-words.js';
import type { Logger } from './logger.js';
import { storeCalls } from './store-calls.js';

/**
 * The work is looked at so often within the limit. Looks are counted, and not time: a process or a host that was
 * suspended has missed them.
 */
const LOOKS = 20;
/** How long the event loop may stand still: it is let go every few milliseconds, whatever is computed. */
const LOOP_LIMIT_MS = 60_000;

/** Work of one kind, of which some advances as long as any is under way. */
export class Progress {
  readonly #underWay = new Set<{ readonly what: string; readonly since: number }>();
  /** How often it has advanced. */
  advances = 0;

  /** Notes that work begins. @returns notes that it has ended */
  begin(what: string): () => void {
    const work = { what, since: performance.now() };
    this.#underWay.add(work);
    return () => {
      if (this.#underWay.delete(work)) this.advances++;
    };
  }

  /** Runs work that was begun with it. */
  async of<T>(what: string, work: () => Promise<T>): Promise<T> {
    const end = this.begin(what);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Notes that some of the work has come further. */
  readonly advance = (): void => {
    this.advances++;
  };

  /** What is under way, with its age: the oldest first. */
  underWay(): readonly string[] {
    const now = performance.now();
    return [...this.#underWay].map(({ what, since }) => `${what}, for ${Math.round((now - since) / 1000)} s`);
  }
}

interface WatchdogOptions {
  /** The kinds of work. Each is judged by itself: one that advances says nothing about another. */
  readonly kinds: readonly Progress[];
  /** 0: it is never looked. */
  readonly limitMs: number;
  readonly logger: Logger;
  /** Whether the database answers on a new connection: while it does not, nobody can say who is at fault. */
  readonly databaseAnswers: () => Promise<boolean>;
  /** For tests. */
  readonly end?: () => void;
}

/** Looks at the work of a process, for as long as the process lives. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  /** By kind: how far it had come, and the looks since. */
  readonly #seen = new Map<Progress, { readonly advances: number; readonly looks: number }>();
  #calls = storeCalls.succeeded;
  #isLooking = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  start(): void {
    const { limitMs } = this.#options;
    if (limitMs > 0) setInterval(() => void this.look(), limitMs / LOOKS).unref();
  }

  /** Ends the process when work was found in the same place so often as makes up the limit. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const still = this.#standing();
      if (still.length > 0 && !(await this.#options.databaseAnswers())) this.#seen.clear();
      for (const kind of still) {
        const seen = this.#seen.get(kind);
        // It may have come further while the database was asked.
        if (seen !== undefined && seen.looks >= LOOKS && seen.advances === kind.advances) this.#end(kind);
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** The kinds that are where they were at the last look. */
  #standing(): Progress[] {
    const stored = storeCalls.succeeded !== this.#calls;
    this.#calls = storeCalls.succeeded;
    return this.#options.kinds.filter((kind) => {
      const { advances } = kind;
      const before = this.#seen.get(kind);
      const stands = !stored && before?.advances === advances && kind.underWay().length > 0;
      this.#seen.set(kind, { advances, looks: stands ? before.looks + 1 : 0 });
      return stands;
    });
  }

  #end(kind: Progress): void {
    const { logger, limitMs, end = endAtOnce } = this.#options;
    const message = `nothing of this work has come further for ${Math.round(limitMs / 1000)} s, although the database answers: this process ends itself, and has to be started again; others go on with the work. Please report it, with these lines`;
    if (logger.isLevelEnabled('error')) {
      sayLast(String(logger.bindings().process), { work: kind.underWay(), limitMs }, message);
    }
    end();
  }
}

/** Nothing of the process can be trusted to end in an orderly way. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** What the thread is given that watches the event loop. */
export interface GuardData {
  /** An Int32Array of one number, which grows. */
  readonly ticks: SharedArrayBuffer;
  readonly everyMs: number;
  readonly looks: number;
  /** Of the log lines of the process. */
  readonly process: string;
  readonly isSilent: boolean;
  /** A pipe that the parent of this process keeps open: when it closes, the process ends. */
  readonly lifeline: number | undefined;
}

/**
 * Has a thread end this process when its event loop stands still.
 * @param name the name of the process in its log
 * @param lifeline the descriptor of a pipe: when its other end closes, the process ends as well
 */
export function guardEventLoop(name: string, limitMs: number, logger: Logger, lifeline?: number): void {
  if (limitMs === 0 && lifeline === undefined) return;
  const everyMs = (limitMs === 0 ? LOOP_LIMIT_MS : Math.min(limitMs, LOOP_LIMIT_MS)) / LOOKS;
  const ticks = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: GuardData = {
    ticks: ticks.buffer as SharedArrayBuffer,
    everyMs,
    looks: limitMs === 0 ? Number.POSITIVE_INFINITY : LOOKS,
    process: name,
    isSilent: !logger.isLevelEnabled('error'),
    lifeline,
  };
  const guard = new Worker(new URL('../../app/platform/loop-guard.js', import.meta.url), { workerData, execArgv: [] });
  guard.on('error', (error) => logger.warn({ err: error }, 'nobody watches the event loop of this process'));
  guard.unref();
  setInterval(() => Atomics.add(ticks, 0, 1), everyMs / 2).unref();
}
