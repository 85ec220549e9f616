/** The settings of a site: other names of columns, and the profile of each type of file. They are kept in versions. */
import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { isStorable } from '../kernel/characters.js';
import { DomainError } from '../kernel/errors.js';
import { quoted } from '../kernel/value-problem.js';
import { PROFILE_FILE_TYPES } from '../profiles/model/profile.js';
import { findProfile } from '../profiles/profiles.js';

const MAX_TARGETS = 2_000;
const MAX_ALIASES = 100;
const MAX_NAME_CHARACTERS = 1_000;
/** Older versions are deleted. */
const MAX_VERSIONS = 1_000;

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
  fileTypes: approvalSchema.shape.fileTypes.unwrap().optional(),
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
type SettingsPatch = z.output<typeof settingsPatchSchema>;

interface StoredSettings {
  /** 0: nobody has changed the settings yet. */
  readonly version: number;
  readonly settings: SiteSettings;
  readonly updatedAt: Date | null;
}

const NO_SETTINGS: SiteSettings = settingsSchema.parse({});

/** The newest settings of a site, or those of a version. @throws DomainError not-found when there is no such version */
export async function siteSettings(db: Db, siteId: number, version?: number): Promise<StoredSettings> {
  const query = db('site_settings').where({ site_id: siteId }).orderBy('version', 'desc');
  if (version !== undefined) query.where({ version });
  const row: { version: number; settings: unknown; created_at: Date } | undefined = await query.first();
  if (row !== undefined) {
    return { version: row.version, settings: settingsSchema.parse(row.settings), updatedAt: row.created_at };
  }
  if (version === undefined || version === 0) return { version: 0, settings: NO_SETTINGS, updatedAt: null };
  throw new DomainError('not-found', 'SETTINGS_VERSION_NOT_FOUND', `the settings have no version ${version}`);
}

/** The newest settings of sites, by one statement. @returns those of each site, in order */
export async function settingsOfSites(db: Db, siteIds: readonly number[]): Promise<SiteSettings[]> {
  const { rows } = await prepared<{ rows: { site_id: number; settings: unknown }[] }>(
    db,
    `SELECT newest.site_id, newest.settings FROM unnest(?::integer[]) AS given (id) CROSS JOIN LATERAL (
       SELECT site_id, settings FROM site_settings WHERE site_id = given.id ORDER BY version DESC LIMIT 1) AS newest`,
    [[...siteIds]],
  );
  const found = new Map(rows.map(({ site_id: siteId, settings }) => [siteId, settingsSchema.parse(settings)]));
  return siteIds.map((siteId) => found.get(siteId) ?? NO_SETTINGS);
}

/** Whether nobody has changed the settings, or they were changed back. */
export async function hasDefaultSettings(db: Db, siteId: number): Promise<boolean> {
  return isDeepStrictEqual((await siteSettings(db, siteId)).settings, NO_SETTINGS);
}

/**
 * Changes the settings of a site, which get a new version unless they are as they were.
 * @throws DomainError conflict SETTINGS_CHANGED when the version of the patch is not the newest; invalid when an alias
 *   stands for two things, or a profile is for other files; not-found when there is no such profile
 */
export async function changeSettings(
  trx: Knex.Transaction,
  siteId: number,
  { version, ...patch }: SettingsPatch,
): Promise<StoredSettings> {
  // Of two changes at the same time, the second sees what the first has written.
  await trx('site').where({ id: siteId }).forNoKeyUpdate().first('id');
  const before = await siteSettings(trx, siteId);
  if (version !== undefined && version !== before.version) {
    const message = `the settings were changed meanwhile: you sent version ${version}, and the newest is ${before.version}. Read them again`;
    throw new DomainError('conflict', 'SETTINGS_CHANGED', message);
  }
  const merged = settingsSchema.safeParse({
    aliases: merge(before.settings.aliases, patch.aliases),
    defaultProfiles: merge(before.settings.defaultProfiles, patch.defaultProfiles),
    approval: { ...before.settings.approval, ...patch.approval },
    live: patch.live ?? before.settings.live,
  });
  if (!merged.success) throw refused(merged.error);
  await requireProfiles(trx, siteId, patch.defaultProfiles ?? {});
  if (JSON.stringify(merged.data) === JSON.stringify(before.settings)) return before;
  const next = before.version + 1;
  const [row] = await trx('site_settings')
    .insert({ site_id: siteId, version: next, settings: JSON.stringify(merged.data) })
    .returning('created_at');
  await trx('site_settings')
    .where({ site_id: siteId })
    .where('version', '<=', next - MAX_VERSIONS)
    .delete();
  return { version: next, settings: merged.data, updatedAt: row.created_at };
}

async function requireProfiles(
  trx: Knex.Transaction,
  siteId: number,
  named: NonNullable<SettingsPatch['defaultProfiles']>,
): Promise<void> {
  for (const [fileType, given] of Object.entries(named)) {
    if (given === null) continue;
    const { profile, name: known } = await findProfile(trx, siteId, given);
    if (profile.fileType === fileType) continue;
    const path = `defaultProfiles.${fileType}`;
    const message = `${path}: the import profile ${quoted(known)} is for files of ${profile.fileType}`;
    throw new DomainError('invalid', 'REQUEST_INVALID', message, {
      problems: [{ path, code: 'FIELD_INVALID', message }],
    });
  }
}

/** The members of both; a null of the second removes one. */
function merge(before: object, given: object = {}): object {
  return Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== null));
}

function refused({ issues }: z.ZodError): DomainError {
  const problems = issues.map(({ path, message }) => ({ path: path.join('.'), code: 'FIELD_INVALID', message }));
  const [first] = problems;
  const message = `the body is not as expected: ${first?.path}: ${first?.message}`;
  return new DomainError('invalid', 'REQUEST_INVALID', message, { problems });
}
