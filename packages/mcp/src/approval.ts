/** What the API is asked for so that a change waits for the approval of a person, and what it says then. */
import type { Job } from '@longshore/client';

/** In the options of a file. */
export const BY_APPROVAL = { requireApproval: true } as const;

/** In the query of a bulk request. */
export const BULK_BY_APPROVAL = { requireApproval: 'true' } as const;

/** The status of a job whose dry run has ended, and which waits for somebody who may approve it. */
export const AWAITING_APPROVAL = 'AWAITING_APPROVAL' satisfies Job['status'];
