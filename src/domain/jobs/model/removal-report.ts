/** What became of the items that the file of a snapshot lacks, or would become of them. */
import { z } from 'zod';

export const removalReport = z
  .object({
    inScope: z.int(),
    missing: z.int(),
    removed: z.int(),
    kept: z.int(),
    stopped: z.boolean(),
    /** Present while the rows of the job are applied, and its removals wait for an approval. */
    waits: z.literal(true).optional(),
    /** The job that is newer and whole in the same scope: it has ended the waiting of this one. */
    supersededBy: z.string().optional(),
    /** The older jobs of the same scope that it has ended so. */
    supersedes: z.array(z.string()).readonly().optional(),
  })
  .readonly();
export type RemovalReport = z.output<typeof removalReport>;
