/** What the import of an archive did, or would do, besides its items. */
import { z } from 'zod';

const count = z.int();

/** What became of one kind of records. `notInArchive`: of those in the stage that the archive does not have, and that stay. */
const part = z.object({ created: count, updated: count, unchanged: count, notInArchive: count }).readonly();

export const archiveReport = z
  .object({
    attributes: part,
    categories: part,
    profiles: part,
    /** `elsewhere`: another stage of the account has them, so that they were left out. */
    webhooks: part.unwrap().extend({ elsewhere: count }).readonly(),
    settings: z.enum(['CHANGED', 'UNCHANGED']),
    items: z.object({ notInArchive: count }).readonly(),
  })
  .readonly();
export type ArchiveReport = z.output<typeof archiveReport>;
