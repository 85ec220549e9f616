/** The option of a job whose file is the whole truth within a scope, and what becomes of the items that the file lacks. */
import { z } from 'zod';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** Attributes and categories are named as the client has written them. */
export const keptSnapshot = z
  .object({
    scope: z.union([
      // Of the feed whose file it is: it is named before the job is accepted.
      z.enum(['stage', 'feed']),
      // With the id from then on.
      z.object({ feed: z.string(), id: z.string().optional() }).readonly(),
      z.object({ category: z.string() }).readonly(),
      z.object({ attribute: z.string(), value: scalar }).readonly(),
    ]),
    missing: z.union([
      z.literal('delete'),
      z.object({
        set: z.object({ attribute: z.string(), value: z.union([scalar, z.array(z.string()).readonly()]) }).readonly(),
      }),
      z.object({ clear: z.array(z.string()).readonly() }).readonly(),
    ]),
    maxMissingPercent: z.number(),
    maxMissing: z.int().optional(),
    minRows: z.int().optional(),
    /** What becomes of the removals that the brake stops. */
    onBrake: z.enum(['stop', 'approve']).optional(),
  })
  .readonly();
export type Snapshot = z.output<typeof keptSnapshot>;
