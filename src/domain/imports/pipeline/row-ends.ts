/** How jobs end whose rows were judged, and what their status message says about it. */

import type { HowItEnds } from '../../jobs/model/job-end.js';
import { counted } from '../../kernel/counted.js';
import type { ChunkCounts } from '../../outcomes/model/chunk-result.js';

/** Reason of an atomic job of which rows failed. */
export const ROWS_FAILED = 'ROWS_FAILED';

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

function shareOf(failed: number, total: number): string {
  if (failed < total) return `${failed} of ${total} rows`;
  return total === 1 ? 'the only row' : `all ${total} rows`;
}
