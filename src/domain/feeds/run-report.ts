/** What a run of a source has found, and how its job ends. */
import type { JobEnd } from '../jobs/model/job-end.js';
import type { OneStepProgress } from '../jobs/single-step.js';
import { storable } from '../kernel/characters.js';
import { counted } from '../kernel/counted.js';
import { MOST_FILES } from './look.js';
import { type Failing, type FeedFailure, faultOf } from './model/feed-failure.js';
import { MOST_NAMED, type RunReport } from './model/feed-run-job.js';
import type { LeftBehind } from './run-ends.js';

const MOST_CHARACTERS = 500;

/** What a run has come to, of a source or of a destination. */
export interface RunFindings {
  /** Why the run has failed; null: it has not. */
  readonly failure: Failing | null;
  /** What is wrong with the first file that could not be taken, though the feed works; null: with none. */
  readonly fault: Failing | null;
  readonly left: LeftBehind;
  /** How many files were taken or sent. */
  readonly moved: number;
  progress(): OneStepProgress;
  report(): object;
  end(): JobEnd;
  fail(failing: Failing): void;
}

/** Counts while a run of a source goes on. */
export class RunCounts implements RunFindings {
  seen = 0;
  taken = 0;
  known = 0;
  waiting: readonly string[] = [];
  /** Of the waiting ones: those that were changed while they were looked at. */
  growing = 0;
  /** Files behind one that could not be taken, where each builds on those before it. */
  held = 0;
  /** There were more files than are looked at. */
  more = false;
  /** The newest file that is there, if it is older than the one that was taken last. */
  outdated: string | null = null;
  failure: Failing | null = null;
  fault: Failing | null = null;
  readonly #refused: { name: string; reason: string }[] = [];
  #refusals = 0;

  /** A file that cannot be imported, whatever becomes of the others. */
  refuse(name: string, reason: string): void {
    this.#refusals++;
    if (this.#refused.length < MOST_NAMED) this.#refused.push({ name, reason: storable(reason, MOST_CHARACTERS) });
  }

  /** A file that cannot be taken for a reason that somebody has to hear of. */
  blame(name: string, error: FeedFailure): void {
    this.refuse(name, error.message);
    this.fault ??= faultOf(error);
  }

  /** The run has failed; only the first failure counts. */
  fail(failing: Failing): void {
    this.failure ??= failing;
  }

  get left(): LeftBehind {
    const waiting = this.growing > 0 ? 'growing' : this.waiting.length > 0 ? 'unmarked' : 'none';
    return { moved: this.taken > 0, waiting };
  }

  get moved(): number {
    return this.taken;
  }

  progress(): OneStepProgress {
    return { totalCount: this.seen, processedCount: this.taken, createdCount: this.taken };
  }

  report(): RunReport {
    const { seen, taken, known, waiting, held } = this;
    const wrong = this.failure ?? this.fault;
    const failure = wrong === null ? null : { code: wrong.code, message: wrong.message };
    return { seen, taken, known, waiting: waiting.length + held, refused: this.#refused, failure };
  }

  end(): JobEnd {
    const { taken } = this;
    const failure = this.failure ?? this.fault;
    const statusMessage = [...this.#sentences()].join('; ');
    if (failure === null) return { status: 'COMPLETED', statusMessage };
    const why = `${failure.message}; ${statusMessage}`;
    if (taken > 0) return { status: 'COMPLETED_PARTIALLY', reason: failure.code, statusMessage: why };
    return { status: 'FAILED', reason: failure.code, statusMessage: why };
  }

  *#sentences(): Iterable<string> {
    const { seen, taken, known, waiting, held, more, outdated } = this;
    yield taken === 0 ? 'no new file was taken' : `${counted(taken, 'new file')} taken`;
    yield `${counted(seen, 'file')} seen`;
    if (known > 0) yield `${known} taken before`;
    const [first] = waiting;
    if (first !== undefined) yield `${waiting.length} not complete yet (${first}${waiting.length > 1 ? ', …' : ''})`;
    const [refused] = this.#refused;
    if (refused !== undefined) yield `${this.#refusals} not imported: ${refused.name} ${refused.reason}`;
    if (held > 0)
      yield `${counted(held, 'file')} behind it not taken, because each builds on those before it (take is inOrder)`;
    if (outdated !== null) yield `${outdated} is older than the file that was taken last (take is newest)`;
    if (more) yield `only the first ${MOST_FILES} new files by name are taken at once; the next run takes others`;
  }
}
