/** Builds the context that chunks are applied with, whether they are committed one by one or together. */
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { OUTCOME, type Outcome } from '../../outcomes/model/chunk-result.js';
import { MOST_ROWS_OF_A_SET, type Pass, passOf } from '../../outcomes/model/passes.js';
import type { InputPlan, Reserved } from '../rows/input-plan.js';
import type { AppliedRows, ApplyContext, RowApplier } from '../rows/row-applier.js';
import { warningsWithin } from './chunk-warnings.js';

/** The outcomes of rows that failed. */
const FAILED: readonly Outcome[] = [OUTCOME.failed, OUTCOME.duplicate];

/** What a context needs to know of a chunk. */
type Applied = Pick<JobChunk, 'job_id' | 'duplicates' | 'wave' | 'outcomes' | 'first_row' | 'row_count'>;

/** @param guarded see ApplyContext */
export function contextOf(
  chunk: Applied,
  plan: Pick<InputPlan, 'siteWasEmpty'>,
  reserved: Reserved,
  guarded: boolean,
): ApplyContext {
  return {
    jobId: chunk.job_id,
    duplicates: new Map(chunk.duplicates ?? []),
    siteWasEmpty: plan.siteWasEmpty,
    reserved,
    pass: passOf(chunk.wave, chunk.outcomes ?? ''),
    guarded,
  };
}

/** Chunks of the last pass whose deferred rows are applied as one set. Only these rows are kept in memory. */
export class ChunkSet<Chunk extends Applied> {
  readonly chunks: Chunk[] = [];
  #read: unknown = null;
  #waiting = 0;

  constructor(readonly applier: RowApplier) {}

  /** Whether the set can take further rows. @param waiting the number of deferred rows of a chunk */
  hasRoom(waiting: number): boolean {
    return (
      this.chunks.length === 0 || (this.applier.gather !== undefined && this.#waiting + waiting <= MOST_ROWS_OF_A_SET)
    );
  }

  /** Adds a chunk, and gives back the memory of its other rows. */
  add(chunk: Chunk, read: unknown, waiting: number): void {
    this.chunks.push(chunk);
    this.#waiting += waiting;
    if (this.applier.gather === undefined) {
      this.#read = read;
      return;
    }
    this.#read = this.applier.gather(this.#read, read, chunk.outcomes ?? '');
    this.applier.done(read);
  }

  /**
   * Applies the rows.
   * @param apply applies what was read of all chunks
   * @returns the result of each chunk, in order
   */
  async apply(
    plan: Pick<InputPlan, 'siteWasEmpty'>,
    reserved: Reserved,
    guarded: boolean,
    apply: (read: unknown, context: ApplyContext) => Promise<AppliedRows>,
  ): Promise<readonly { readonly chunk: Chunk; readonly result: AppliedRows }[]> {
    const [first] = this.chunks;
    if (first === undefined) return [];
    const before = this.chunks.map(({ outcomes }) => outcomes ?? '').join('');
    const pass: Pass = passOf(first.wave, before);
    const duplicates = new Map(this.chunks.flatMap((chunk) => chunk.duplicates ?? []));
    const result = await apply(this.#read, { ...contextOf(first, plan, reserved, guarded), duplicates, pass });
    return this.#shareOut(result);
  }

  /** The rows of the result are in the order of the chunks, and so are the failures. */
  #shareOut({ outcomes, failures, outboxEntries = [], warnings, changes }: AppliedRows) {
    let firstRow = 0;
    let failure = 0;
    return this.chunks.map((chunk, nth) => {
      const own = outcomes.slice(firstRow, firstRow + chunk.row_count);
      const before = chunk.outcomes ?? '';
      firstRow += chunk.row_count;
      const failed = own.filter((outcome, row) => before[row] === OUTCOME.deferred && FAILED.includes(outcome)).length;
      const ownFailures = failures.slice(failure, failure + failed);
      failure += failed;
      const beyond = this.chunks[nth + 1]?.first_row ?? Number.MAX_SAFE_INTEGER;
      const ownWarnings = warnings === undefined ? undefined : warningsWithin(warnings, chunk.first_row, beyond);
      const result = { outcomes: own, failures: ownFailures, warnings: ownWarnings };
      return { chunk, result: nth === 0 ? { ...result, outboxEntries, changes } : result };
    });
  }
}
