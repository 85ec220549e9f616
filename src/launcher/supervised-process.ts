/** A child process that is started again, with back-off, when it ends unexpectedly. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Backoff, backoffMs } from '../platform/backoff.js';

const RESTART_BACKOFF: Backoff = { firstMs: 250, longestMs: 10_000 };
/** After an unexpected end, the process counts as running only after this time. */
const STEADY_AFTER_MS = 2_000;
/** After this time the process counts as healthy, and its next end as the first one again. */
const HEALTHY_AFTER_MS = 30_000;

interface SupervisedProcessOptions {
  readonly name: string;
  spawn(): ChildProcess | Promise<ChildProcess>;
  readonly say: (line: string) => void;
  /** False: a process that ends is not started again. */
  readonly restart: boolean;
}

export class SupervisedProcess {
  readonly name: string;
  readonly #options: SupervisedProcessOptions;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #endsInARow = 0;
  #stopping = false;

  constructor(options: SupervisedProcessOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && isAlive(this.#child);
  }

  /** Whether it runs, and was not just started again. */
  get isSteady(): boolean {
    return this.isRunning && (this.#endsInARow === 0 || performance.now() - this.#startedAt >= STEADY_AFTER_MS);
  }

  /** How often it has ended unexpectedly since it was healthy. */
  get endsInARow(): number {
    return this.#endsInARow;
  }

  async start(): Promise<void> {
    const child = await this.#options.spawn();
    this.#child = child;
    this.#startedAt = performance.now();
    child.on('error', (error) => this.#options.say(`${this.name}: ${error.message}`));
    child.once('exit', (code, signal) => this.#ended(signal ?? `code ${code}`));
    if (this.#stopping) child.kill('SIGKILL');
  }

  kill(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child?.kill(signal);
  }

  /** Sends the signal, and after `graceMs` kills the process. Resolves when it has ended. */
  async stop(signal: NodeJS.Signals, graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined || !isAlive(child)) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const lastResort = setTimeout(() => {
      this.#options.say(`${this.name} did not end within ${graceMs} ms and is killed`);
      child.kill('SIGKILL');
    }, graceMs);
    await ended;
    clearTimeout(lastResort);
  }

  #ended(how: string): void {
    if (this.#stopping) return;
    if (performance.now() - this.#startedAt >= HEALTHY_AFTER_MS) this.#endsInARow = 0;
    this.#endsInARow += 1;
    if (!this.#options.restart) {
      this.#options.say(`${this.name} ended (${how})`);
      return;
    }
    const delayMs = backoffMs(RESTART_BACKOFF, this.#endsInARow);
    this.#options.say(`${this.name} ended (${how}) and is started again in ${delayMs} ms`);
    this.#timer = setTimeout(() => this.#startAgain(), delayMs);
  }

  #startAgain(): void {
    this.start().catch((error: unknown) => this.#ended(error instanceof Error ? error.message : String(error)));
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
