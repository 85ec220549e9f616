/** What the import of an archive did, or would do, besides its items. */
import { z } from 'zod';

const count = z.int();

const part = z.object({ created: count, updated: count, unchanged: count, notInArchive: count }).readonly();
/** What became of one kind of records. `notInArchive`: of those in the stage that the archive does not have, and that stay. */
export type ArchivePart = z.output<typeof part>;

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

/** How many definitions and settings were changed, or would be. */
export function changedByArchive({ attributes, categories, profiles, webhooks, settings }: ArchiveReport): number {
  const parts = [attributes, categories, profiles, webhooks];
  return parts.reduce((sum, { created, updated }) => sum + created + updated, settings === 'CHANGED' ? 1 : 0);
}
