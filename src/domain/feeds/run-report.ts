/** What a run of a source has found, and how its job ends. */
import type { JobEnd } from '../jobs/model/job-end.js';
import type { OneStepProgress } from '../jobs/single-step.js';
import { storable } from '../kernel/characters.js';
import { counted } from '../kernel/counted.js';
import { MOST_FILES } from './look.js';
import type { FeedFailure } from './model/feed.js';
import { MOST_NAMED, type RunReport } from './model/feed-run-job.js';

const MOST_CHARACTERS = 500;

/** What a run has come to, of a source or of a destination. */
export interface RunFindings {
  /** Why the run has failed; null: it has not. */
  readonly failure: FeedFailure | null;
  /** How many files were taken or sent. */
  readonly moved: number;
  progress(): OneStepProgress;
  report(): object;
  end(): JobEnd;
  fail(code: string, message: string): void;
}

/** Counts while a run of a source goes on. */
export class RunCounts implements RunFindings {
  seen = 0;
  taken = 0;
  known = 0;
  waiting: readonly string[] = [];
  /** There were more files than are looked at. */
  more = false;
  failure: FeedFailure | null = null;
  readonly #refused: { name: string; reason: string }[] = [];
  #refusals = 0;

  /** A file that cannot be imported, whatever becomes of the others. */
  refuse(name: string, reason: string): void {
    this.#refusals++;
    if (this.#refused.length < MOST_NAMED) this.#refused.push({ name, reason: storable(reason, MOST_CHARACTERS) });
  }

  /** The run has failed; only the first failure counts. */
  fail(code: string, message: string): void {
    this.failure ??= { code, message: storable(message, MOST_CHARACTERS) };
  }

  get moved(): number {
    return this.taken;
  }

  progress(): OneStepProgress {
    return { totalCount: this.seen, processedCount: this.taken, createdCount: this.taken };
  }

  report(): RunReport {
    const { seen, taken, known, waiting, failure } = this;
    return { seen, taken, known, waiting: waiting.length, refused: this.#refused, failure };
  }

  end(): JobEnd {
    const { taken, failure } = this;
    const statusMessage = [...this.#sentences()].join('; ');
    if (failure === null) return { status: 'COMPLETED', statusMessage };
    const why = `${failure.message}; ${statusMessage}`;
    if (taken > 0) return { status: 'COMPLETED_PARTIALLY', reason: failure.code, statusMessage: why };
    return { status: 'FAILED', reason: failure.code, statusMessage: why };
  }

  *#sentences(): Iterable<string> {
    const { seen, taken, known, waiting, more } = this;
    yield taken === 0 ? 'no new file was taken' : `${counted(taken, 'new file')} taken`;
    yield `${counted(seen, 'file')} seen`;
    if (known > 0) yield `${known} taken before`;
    const [first] = waiting;
    if (first !== undefined) yield `${waiting.length} not complete yet (${first}${waiting.length > 1 ? ', …' : ''})`;
    const [refused] = this.#refused;
    if (refused !== undefined) yield `${this.#refusals} not imported: ${refused.name} ${refused.reason}`;
    if (more) yield `only the first ${MOST_FILES} files by name are looked at: move or delete those that were taken`;
  }
}
