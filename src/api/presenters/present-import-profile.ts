/** Import profiles, as the API shows them. */
import { z } from 'zod';
import { PROFILE_FILE_TYPES, profileSchema } from '../../domain/profiles/model/profile.js';
import type { StoredProfile } from '../../domain/profiles/profiles.js';

export const importProfileSchema = z
  .object({
    name: z.string(),
    version: z.int().meta({ description: 'Every change makes a version; the first is 1' }),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime().meta({ description: 'When this version was made' }),
    profile: profileSchema.meta({ id: 'SavedImportProfileDocument' }),
  })
  .meta({ id: 'ImportProfile' });

export const listedImportProfileSchema = z
  .object({
    name: z.string(),
    fileType: z.enum(PROFILE_FILE_TYPES),
    version: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'ListedImportProfile' });

export function presentImportProfile({ name, version, createdAt, updatedAt, profile }: StoredProfile) {
  return { name, version, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString(), profile };
}
