/** The profile that a job was accepted with, as the job keeps it: no later change of the profile concerns it. */
import { z } from 'zod';
import type { Profile } from './profile.js';

/** The document was checked when the job was accepted, and is parsed again where it is compiled: not for each chunk. */
const document = z.custom<Profile>((given) => typeof given === 'object' && given !== null);

export const keptProfile = z
  .object({
    /** Null: it came with the request, and is not saved. */
    name: z.string().nullable(),
    version: z.int().nullable(),
    document,
  })
  .readonly();
export type KeptProfile = z.output<typeof keptProfile>;
