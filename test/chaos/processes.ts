/** The web and worker processes of a chaos run: started again when they end, unless a fault keeps them down. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { spawnNode } from '../../src/launcher/node-process.js';
import { PROCESSES, type ProcessName } from './schedule.js';

/** Between the unexpected end of a process and its next start. */
const RESTART_MS = 300;
/** A process that is asked to end does so within its grace period, and on a busy machine may have to start before. */
const END_WITHIN_MS = 40_000;
/** Levels of pino: error and fatal. */
const ERROR = /"level":[56]0/;
const ERRORS_OF_A_PROCESS = 4;
const ERROR_CHARACTERS = 400;

interface ProcessesOptions {
  /** The folder of the logs, which exists. */
  readonly logs: string;
  environmentOf(name: ProcessName): Readonly<Record<string, string>>;
}

interface UnexpectedEnd {
  readonly process: ProcessName;
  /** A signal or an exit code. */
  readonly how: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class Processes {
  readonly #children = new Map<ProcessName, ChildProcess>();
  /** Processes that a fault keeps from running. */
  readonly #down = new Set<ProcessName>();
  readonly #frozen = new Set<ProcessName>();
  #isEnding = false;
  /** Processes that ended although no fault had ended them. */
  readonly unexpectedEnds: UnexpectedEnd[] = [];
  /** What the processes did that no fault excuses, such as not to end when they were asked to. */
  readonly problems: string[] = [];
  /** How often a process was started. */
  starts = 0;

  constructor(readonly options: ProcessesOptions) {}

  get areRunning(): boolean {
    return [...this.#children.values()].every(isAlive);
  }

  get pids(): number[] {
    return [...this.#children.values()].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  }

  nameOf(pid: number): ProcessName | undefined {
    return [...this.#children].find(([, child]) => child.pid === pid)?.[0];
  }

  start(name: ProcessName): void {
    this.starts++;
    const child = spawnNode({
      name,
      program: name === 'web' ? 'web' : 'worker',
      environment: this.options.environmentOf(name),
      logFile: this.#logOf(name),
    });
    this.#children.set(name, child);
    child.once('exit', (code, signal) => this.#ended(name, signal ?? `code ${code}`));
  }

  /** Asks a process to end, which is not started again before `startAgain`. */
  terminate(name: ProcessName): void {
    this.#down.add(name);
    this.#children.get(name)?.kill('SIGTERM');
  }

  /**
   * Kills a process and those that it has started, as the loss of a host does; it is not started again before
   * `startAgain`.
   * @returns what they had open
   */
  kill(name: ProcessName): string[] {
    this.#down.add(name);
    const child = this.#children.get(name);
    // None of them opens anything, or starts another, between the look and its end.
    child?.kill('SIGSTOP');
    const started = childrenOf(child?.pid);
    for (const pid of started) signal(pid, 'SIGSTOP');
    const open = [child?.pid, ...started].flatMap(filesOf);
    child?.kill('SIGKILL');
    for (const pid of started) signal(pid, 'SIGKILL');
    return open;
  }

  /** Starts a process that a fault has ended, as soon as it has ended. */
  async startAgain(name: ProcessName): Promise<void> {
    if (!this.#down.has(name)) return;
    const child = this.#children.get(name);
    if (child !== undefined && isAlive(child)) await this.#untilEnded(name, child);
    // Another fault may have started it meanwhile.
    if (this.#isEnding || !this.#down.delete(name)) return;
    this.start(name);
  }

  freeze(name: ProcessName): void {
    this.#frozen.add(name);
    this.#children.get(name)?.kill('SIGSTOP');
  }

  thaw(name: ProcessName): void {
    this.#frozen.delete(name);
    this.#children.get(name)?.kill('SIGCONT');
  }

  /** Ends what faults do to the processes. */
  async heal(): Promise<void> {
    for (const name of [...this.#frozen]) this.thaw(name);
    for (const name of [...this.#down]) await this.startAgain(name);
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    for (const child of this.#children.values()) {
      if (!isAlive(child)) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }

  /** What the processes have open: a name for each file and socket. Empty where the system does not say. */
  openFiles(): ReadonlyMap<ProcessName, readonly string[]> {
    return new Map([...this.#children].map(([name, { pid }]) => [name, filesOf(pid)]));
  }

  /** The last errors in the logs. */
  lastErrors(): string[] {
    return PROCESSES.flatMap((name) => {
      const lines = readFileSync(this.#logOf(name), 'utf8').split('\n');
      const errors = lines.filter((line) => ERROR.test(line)).slice(-ERRORS_OF_A_PROCESS);
      return errors.map((line) => `${name}: ${line.slice(0, ERROR_CHARACTERS)}`);
    });
  }

  #logOf(name: ProcessName): string {
    return join(this.options.logs, `${name}.log`);
  }

  #ended(name: ProcessName, how: string): void {
    if (this.#isEnding || this.#down.has(name)) return;
    this.unexpectedEnds.push({ process: name, how, at: Date.now() });
    setTimeout(() => {
      const child = this.#children.get(name);
      if (!this.#isEnding && !this.#down.has(name) && child !== undefined && !isAlive(child)) this.start(name);
    }, RESTART_MS).unref();
  }

  async #untilEnded(name: ProcessName, child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    const lastResort = setTimeout(() => {
      this.problems.push(`${name} did not end within ${END_WITHIN_MS / 1000} s of SIGTERM`);
      child.kill('SIGKILL');
    }, END_WITHIN_MS);
    await ended;
    clearTimeout(lastResort);
  }
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** The processes that a process has started: those in which a worker executes suspect steps, or the sessions of Postgres. */
export function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // It has ended, or the system does not say.
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

function filesOf(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((fd) => {
      try {
        return [readlinkSync(join(folder, fd))];
      } catch {
        // Closed between the list and this look.
        return [];
      }
    });
  } catch {
    return [];
  }
}
