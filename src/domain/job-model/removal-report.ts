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
    /** The job that is newer and whole in the same scope: nothing that this one lacks is removed since. */
    supersededBy: z.string().optional(),
    /** The older jobs of the same scope that it has kept from their removals so. */
    supersedes: z.array(z.string()).readonly().optional(),
  })
  .readonly();
export type RemovalReport = z.output<typeof removalReport>;
