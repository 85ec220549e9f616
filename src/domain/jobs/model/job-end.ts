/** How jobs end, and what their status message says about it. */
import type { JobStatus } from '../../../../db/models/job.js';
import type { ChunkCounts, ChunkResult } from '../../outcomes/model/chunk-result.js';

/**
 * NOTIFY channel that announces the ends of jobs. The payload is the job's id; if all rows of a small job were applied, a
 * blank and the letter of each row's outcome follow.
 */
export const JOB_ENDED_CHANNEL = 'longshore_job_ended';

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
  /** It has removed what its input lacks: older jobs of the same scope whose removals wait for an approval end with it. */
  readonly isWholeTruth?: boolean | undefined;
  /** The commit announces its end. Only one of many transactions may do so: they commit one after another. */
  readonly isAnnounced?: boolean | undefined;
}

export type HowItEnds = Pick<JobEnd, 'status' | 'statusMessage' | 'reason' | 'isWholeTruth'>;
