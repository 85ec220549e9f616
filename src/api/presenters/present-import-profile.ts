/** Import profiles, as the API shows them. */
import { z } from 'zod';
import { PROFILE_FILE_TYPES, profileSchema } from '../../domain/profiles/model/profile.js';
import { notInvertible } from '../../domain/profiles/not-invertible.js';
import type { listProfiles, StoredProfile } from '../../domain/profiles/profiles.js';

const time = z.iso.datetime().nullable();

const described = {
  version: z.int().meta({ description: 'Every change makes a version; the first is 1' }),
  shipped: z.boolean().meta({ description: 'Whether it comes with Longshore; such a profile is never changed' }),
  description: z.string().nullable().meta({ description: 'What files it reads, of profiles that come with Longshore' }),
  createdAt: time.meta({ description: 'null: it comes with Longshore' }),
  updatedAt: time.meta({ description: 'When this version was made' }),
};

export const importProfileSchema = z
  .object({
    name: z.string(),
    ...described,
    profile: profileSchema.meta({ id: 'SavedImportProfileDocument' }),
    notInvertible: z
      .array(
        z.object({
          column: z.string().meta({ description: 'The column of ours that the rule fills' }),
          step: z.string().meta({ description: 'The step, or the member of the rule: constant, combine, split' }),
          reason: z.string(),
        }),
      )
      .meta({ description: 'What an export by the profile cannot write as the file had it' }),
  })
  .meta({ id: 'ImportProfile' });

export const listedImportProfileSchema = z
  .object({ name: z.string(), fileType: z.enum(PROFILE_FILE_TYPES), ...described })
  .meta({ id: 'ListedImportProfile' });

type Listed = Awaited<ReturnType<typeof listProfiles>>['rows'][number];

export function presentListedProfile({ name, fileType, ...rest }: Listed): z.input<typeof listedImportProfileSchema> {
  return { name, fileType, ...presentDescribed(rest) };
}

export function presentImportProfile(stored: StoredProfile): z.input<typeof importProfileSchema> {
  const { name, profile } = stored;
  return { name, ...presentDescribed(stored), profile, notInvertible: notInvertible(profile) };
}

function presentDescribed(stored: Omit<Listed, 'name' | 'fileType'>) {
  const { version, description, createdAt, updatedAt } = stored;
  return {
    ...{ version, shipped: description !== null, description },
    createdAt: createdAt?.toISOString() ?? null,
    updatedAt: updatedAt?.toISOString() ?? null,
  };
}
