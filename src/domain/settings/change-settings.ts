/** Changes the settings of a site. */
import type { Knex } from 'knex';
import type { z } from 'zod';
import { DomainError } from '../kernel/errors.js';
import { quoted } from '../kernel/value-problem.js';
import { findProfile } from '../profiles/profiles.js';
import { type ApprovalRule, type SettingsPatch, settingsSchema } from './settings.js';
import { type StoredSettings, siteSettings } from './site-settings.js';

/** Older versions are deleted. */
const MAX_VERSIONS = 1_000;

/**
 * Changes the settings of a site as a client wants them, which get a new version unless they are as they were.
 * @throws DomainError like writeSettings; invalid also when it asks for a rule by which no job would ever wait
 */
export async function changeSettings(
  trx: Knex.Transaction,
  siteId: number,
  patch: SettingsPatch,
): Promise<StoredSettings> {
  const written = await writeSettings(trx, siteId, patch);
  if (patch.approval !== undefined) requireLimit(written.settings.approval);
  return written;
}

/**
 * Like changeSettings, for settings that a stage has had already, here or elsewhere: what an earlier release accepted is
 * accepted.
 * @throws DomainError conflict SETTINGS_CHANGED when the version of the patch is not the newest; invalid when an alias
 *   stands for two things, or a profile is for other files; not-found when there is no such profile
 */
export async function writeSettings(
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

/** A rule for large jobs that says of none that it is large would let all of them pass, unseen. @throws DomainError */
function requireLimit({ when, items, percent }: ApprovalRule): void {
  if (when !== 'LARGE' || items !== null || percent !== null) return;
  const path = 'approval.when';
  const message = '"LARGE" needs a limit: give items, percent or both; "ALWAYS" has none';
  throw new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: ${path}: ${message}`, {
    problems: [{ path, code: 'FIELD_INVALID', message }],
  });
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
