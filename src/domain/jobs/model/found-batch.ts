/** Small jobs that were found to be executed together. */

import type { StepPayload } from '../../../queues/define-queue.js';
import type { FrontEntry } from '../order/turns.js';

/** The jobs of one site that may be executed together, as they were seen before anything is locked. */
export interface FoundBatch {
  readonly siteId: number;
  readonly accountId: string;
  /** The step that is due: its queue job ends with the batch. */
  readonly own: StepPayload;
  /** What `besides` selects. */
  readonly facts: object;
  readonly entries: readonly FrontEntry[];
  /** All of them may run beside other concurrent jobs. */
  readonly concurrent: boolean;
}
