/** How jobs end, and what their status message says about it. */
import type { JobStatus } from '../../../../db/models/job.js';
import { counted } from '../../kernel/counted.js';
import type { ChunkCounts, ChunkResult } from './chunk-result.js';

/** Reason of an atomic job of which rows failed. */
export const ROWS_FAILED = 'ROWS_FAILED';

/** How the work on a job ends: the job has ended then, unless it is AWAITING_APPROVAL. */
export interface JobEnd {
  readonly status: Extract<
    JobStatus,
    'COMPLETED' | 'COMPLETED_PARTIALLY' | 'REJECTED' | 'FAILED' | 'CANCELLED' | 'EXPIRED' | 'AWAITING_APPROVAL'
  >;
  readonly statusMessage?: string | undefined;
  /** Machine-readable reason of REJECTED and FAILED. */
  readonly reason?: string | undefined;
  /** The counts of its rows. If any failed, endJob records a summary of their errors. */
  readonly counts?: ChunkCounts | undefined;
  /** False: none of its chunks has warnings, which endJob need not look for. */
  readonly warned?: boolean | undefined;
  readonly errorFileId?: string | undefined;
  /** Its rows, when the transaction that ends it has applied them: they are recorded with the end. */
  readonly applied?: { readonly rowCount: number; readonly result: ChunkResult } | undefined;
  /** The definitions that it used, when it has begun in the same transaction: its begin is recorded with the end. */
  readonly definitionsVersion?: number | undefined;
  /** The commit announces its end. Only one of many transactions may do so: they commit one after another. */
  readonly isAnnounced?: boolean | undefined;
}

export interface EndingJob extends JobEnd {
  readonly jobId: string;
}

export type HowItEnds = Pick<JobEnd, 'status' | 'statusMessage' | 'reason'>;

/** The end of a job whose rows were all judged. */
export function endOf(counts: ChunkCounts): HowItEnds {
  if (counts.failed === 0) return { status: 'COMPLETED' };
  const total = counts.created + counts.updated + counts.unchanged + counts.failed;
  const statusMessage = `${shareOf(counts.failed, total)} failed; each error says why, and what to do about its row`;
  return { status: 'COMPLETED_PARTIALLY', statusMessage };
}

/** The end of an atomic job of which rows failed. */
export function abortedEnd(failed: number): HowItEnds {
  const statusMessage = `${counted(failed, 'row')} failed, and nothing was written because onError is abort; correct what the errors name and send all rows again`;
  return { status: 'REJECTED', reason: ROWS_FAILED, statusMessage };
}

/** The end of a dry run: it is complete even if rows failed, so that the message says how many would. */
export function dryRunEnd({ created, updated, unchanged, failed }: ChunkCounts): HowItEnds {
  const total = created + updated + unchanged + failed;
  const wouldFail = failed === 0 ? 'no row would fail' : `${shareOf(failed, total)} would fail, see the errors`;
  return { status: 'COMPLETED', statusMessage: `a dry run: nothing was written, and ${wouldFail}` };
}

/** What the end of a job that did not reach its last row says of those before. */
export function remainingRows(applied: number): string {
  if (applied === 0) return 'no row was applied before';
  return applied === 1 ? 'the row applied before remains' : `the ${applied} rows applied before remain`;
}

function shareOf(failed: number, total: number): string {
  if (failed < total) return `${failed} of ${total} rows`;
  return total === 1 ? 'the only row' : `all ${total} rows`;
}
