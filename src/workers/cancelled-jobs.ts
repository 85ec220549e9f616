/**
 * Aborts steps whose job was cancelled: what reads a file or computes between two transactions would otherwise occupy
 * its worker until it finds that its fencing token is no longer current.
 */
import type { Db } from '../../db/connection.js';
import type { Logger } from '../platform/logger.js';

/** Steps that run for longer than this are looked up so often; one statement does for all steps of a process. */
const LOOK_UP_EVERY_MS = 500;

interface RunningStep {
  readonly jobId: string;
  readonly startedAt: number;
  readonly controller: AbortController;
}

/** The steps of jobs that a process runs. */
export class CancelledJobs {
  readonly #running = new Set<RunningStep>();
  readonly #timer: NodeJS.Timeout;
  #isAsking = false;

  readonly #db: Db;
  readonly #logger: Logger;

  constructor(db: Db, logger: Logger) {
    this.#db = db;
    this.#logger = logger;
    this.#timer = setInterval(() => this.#lookUp(), LOOK_UP_EVERY_MS).unref();
  }

  /**
   * Runs a step.
   * @param signal aborts it too
   * @param step its signal aborts soon after the job was cancelled
   * @throws what the step throws, unless it was aborted because its job was cancelled: then there is nothing left to do
   */
  async run(jobId: string, signal: AbortSignal, step: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const running = { jobId, startedAt: performance.now(), controller };
    this.#running.add(running);
    try {
      await step(controller.signal);
    } catch (error) {
      if (controller.signal.reason !== CANCELLED) throw error;
      this.#logger.info({ jobId }, 'the job was cancelled while a step of it ran');
    } finally {
      this.#running.delete(running);
      signal.removeEventListener('abort', abort);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #lookUp(): void {
    const before = performance.now() - LOOK_UP_EVERY_MS;
    const long = [...this.#running].filter(({ startedAt }) => startedAt < before);
    if (long.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    this.#abortCancelled(long)
      // The database is away: the fencing token refuses what the steps of cancelled jobs do.
      .catch((error: unknown) => this.#logger.debug({ err: error }, 'could not look up which jobs were cancelled'))
      .finally(() => {
        this.#isAsking = false;
      });
  }

  async #abortCancelled(steps: readonly RunningStep[]): Promise<void> {
    const rows: { id: string }[] = await this.#db('job')
      .whereIn('id', [...new Set(steps.map(({ jobId }) => jobId))])
      .whereIn('status', ['CANCELLATION_IN_PROGRESS', 'CANCELLED'])
      .select('id');
    const cancelled = new Set(rows.map(({ id }) => id));
    for (const { jobId, controller } of steps) if (cancelled.has(jobId)) controller.abort(CANCELLED);
  }
}

const CANCELLED = new Error('the job was cancelled');
