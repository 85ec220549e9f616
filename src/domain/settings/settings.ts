/** What the settings of a site are: other names of columns, and the profile of each type of file. */
import { z } from 'zod';
import { attributeKey } from '../kernel/attribute-key.js';
import { isStorable } from '../kernel/characters.js';
import { PROFILE_FILE_TYPES } from '../profiles/model/profile.js';

const MAX_TARGETS = 2_000;
const MAX_ALIASES = 100;
const MAX_NAME_CHARACTERS = 1_000;

const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME_CHARACTERS)
  .refine(isStorable, 'contains a NUL character or an unpaired surrogate');

/** Names of columns by what they stand for; each name stands for one thing. */
const aliasesSchema = z
  .record(name, z.array(name).max(MAX_ALIASES))
  .refine((aliases) => Object.keys(aliases).length <= MAX_TARGETS, `has more than ${MAX_TARGETS} members`)
  .check(({ value, issues }) => {
    const targets = new Map<string, string>();
    for (const [target, names] of Object.entries(value)) {
      for (const [index, alias] of names.entries()) {
        const other = targets.get(attributeKey(alias));
        targets.set(attributeKey(alias), target);
        if (other === undefined) continue;
        const message =
          other === target ? `names "${alias}" twice` : `"${alias}" stands for "${other}" already: name it once`;
        issues.push({ code: 'custom', input: value, path: [target, index], message });
      }
    }
  });

const defaultProfilesSchema = z.partialRecord(z.enum(PROFILE_FILE_TYPES), name);

const approvalSchema = z.strictObject({
  when: z.enum(['REQUESTED', 'LARGE', 'ALWAYS']).default('REQUESTED').meta({
    description:
      'REQUESTED: only jobs that ask for it by `requireApproval`. LARGE: also those that would change more than `items` or `percent`. ALWAYS: all imports, bulk requests, deletions, reverts and promotions',
  }),
  items: z.int().min(0).nullable().default(null).meta({
    description: 'For LARGE: more rows than this that would create, change or delete something; null: any number',
  }),
  percent: z.number().min(0).max(100).nullable().default(null).meta({
    description: 'For LARGE: the same as a share of the items of the stage; null: any share',
  }),
  fileTypes: z.array(z.enum(PROFILE_FILE_TYPES)).max(PROFILE_FILE_TYPES.length).nullable().default(null).meta({
    description: 'For LARGE and ALWAYS: only files of these types; null: files of all types, and bulk requests',
  }),
  allowOwn: z.boolean().default(false).meta({
    description: 'Whether the token that has created a job may approve it',
  }),
});
export type ApprovalRule = z.output<typeof approvalSchema>;

export const settingsSchema = z.object({
  aliases: aliasesSchema.default({}).meta({
    description:
      'Other names of columns: `{"SKU": ["Artikelnummer", "Art.-Nr."]}`. A column with such a name is mapped',
  }),
  defaultProfiles: defaultProfilesSchema.default({}).meta({
    description: 'The import profile of files that are announced without one, by their type',
  }),
  approval: approvalSchema.prefault({}).meta({
    description: 'Which jobs wait for an approval after their preview, and who may give it',
  }),
  live: z.boolean().nullable().default(null).meta({
    description: 'Whether customers see what is changed in the stage; null: if it is production',
  }),
});
export type SiteSettings = z.output<typeof settingsSchema>;

const approvalPatch = z.strictObject({
  when: approvalSchema.shape.when.unwrap().optional(),
  items: approvalSchema.shape.items.unwrap().optional(),
  percent: approvalSchema.shape.percent.unwrap().optional(),
  fileTypes: z
    .array(z.enum(PROFILE_FILE_TYPES))
    .min(1, 'names no type: null is for files of all types, and for requests')
    .max(PROFILE_FILE_TYPES.length)
    .nullable()
    .optional(),
  allowOwn: approvalSchema.shape.allowOwn.unwrap().optional(),
});

/** What a PATCH changes: a member that is absent stays as it is, and null removes one of aliases or defaultProfiles. */
export const settingsPatchSchema = z.strictObject({
  aliases: z.record(name, z.array(name).max(MAX_ALIASES).nullable()).optional(),
  defaultProfiles: z.partialRecord(z.enum(PROFILE_FILE_TYPES), name.nullable()).optional(),
  approval: approvalPatch.optional(),
  live: z.boolean().optional().meta({
    description: 'Whether customers see what is changed in the stage: the console marks such a stage',
  }),
  version: z.int().min(0).optional().meta({ description: 'The version that you have read: 409 if it has changed' }),
});
export type SettingsPatch = z.output<typeof settingsPatchSchema>;
