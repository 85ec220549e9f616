/** What an operator asks for: an action, and what it is done to. */
import { z } from 'zod';
import { jobFilter } from '../read/find-jobs.js';

/** Which endpoints an operator means: one, those of an account, or all whose circuit breaker is not closed. */
const endpointFilter = z
  .object({
    endpoint: z.string().max(60).optional(),
    account: z.string().max(200).optional(),
    /** A replay: of the deliveries that failed or were cancelled since then. */
    since: z.iso.datetime().optional(),
  })
  .readonly();
export type EndpointFilter = z.output<typeof endpointFilter>;

/** Which ended jobs are repeated, and how; see retryJob. */
const retryFilter = jobFilter
  .unwrap()
  .extend({
    /** All that the job has not applied, or only the rows that failed. */
    rows: z.enum(['all', 'failed']).optional(),
  })
  .readonly();

/** An action, with what it is done to. */
export const requestedAction = z.discriminatedUnion('action', [
  z.object({ action: z.literal('cancel'), filter: jobFilter }),
  z.object({ action: z.literal('retry'), filter: retryFilter }),
  z.object({ action: z.literal('resume'), filter: endpointFilter }),
  z.object({ action: z.literal('replay'), filter: endpointFilter }),
]);
export type RequestedAction = z.output<typeof requestedAction>;

export type ActionName = RequestedAction['action'];
