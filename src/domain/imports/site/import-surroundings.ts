/** Writes what an archive has around its catalog: import profiles, settings, and webhook definitions, which stay disabled. */
import type { Knex } from 'knex';
import { z } from 'zod';
import type { ArchiveReport } from '../../jobs/model/archive-report.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { profileName, profileSchema } from '../../profiles/model/profile.js';
import { createProfile, updateProfile } from '../../profiles/profiles.js';
import { changeSettings, settingsSchema, siteSettings } from '../../settings/site-settings.js';
import { copiedDefinition, DefinitionCopier } from '../../webhooks/copied-definitions.js';
import { inLine, parsedLines } from './archive-lines.js';
import type { SiteArchive } from './read-archive.js';

const profileLine = z.strictObject({ name: profileName, profile: profileSchema });

/** @throws RejectedInput */
export async function importProfiles(
  trx: Knex.Transaction,
  siteId: number,
  archive: SiteArchive,
): Promise<ArchiveReport['attributes']> {
  const lines = parsedLines('profiles', await archive.text('profiles'), profileLine);
  const held: { name_key: string; version: number }[] = await trx('import_profile')
    .where({ site_id: siteId })
    .select('name_key', 'version');
  const versions = new Map(held.map((one) => [one.name_key, one.version]));
  const report = { created: 0, updated: 0, unchanged: 0, notInArchive: 0 };
  for (const { row, value } of lines) {
    const { name, profile } = value;
    const before = versions.get(attributeKey(name));
    await inLine('profiles', row, async () => {
      if (before === undefined) {
        await createProfile(trx, siteId, name, profile);
        report.created += 1;
      } else if ((await updateProfile(trx, siteId, name, profile, null)).version === before) report.unchanged += 1;
      else report.updated += 1;
    });
  }
  return { ...report, notInArchive: held.length - report.updated - report.unchanged };
}

/** The settings become those of the archive; one without settings leaves them. @throws RejectedInput */
export async function importSettings(
  trx: Knex.Transaction,
  siteId: number,
  archive: SiteArchive,
): Promise<ArchiveReport['settings']> {
  const [line] = parsedLines('settings', await archive.text('settings'), settingsSchema);
  if (line === undefined) return 'UNCHANGED';
  const { version, settings } = await siteSettings(trx, siteId);
  const { aliases, defaultProfiles, approval } = line.value;
  const removed = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, null]));
  const patch = {
    aliases: { ...removed(settings.aliases), ...aliases },
    defaultProfiles: { ...removed(settings.defaultProfiles), ...defaultProfiles },
    approval,
  };
  const after = await inLine('settings', line.row, () => changeSettings(trx, siteId, patch));
  return after.version === version ? 'UNCHANGED' : 'CHANGED';
}

/** @throws RejectedInput */
export async function importWebhooks(
  trx: Knex.Transaction,
  site: { readonly siteId: number; readonly accountId: string },
  archive: SiteArchive,
  secretsKeys: readonly string[],
): Promise<ArchiveReport['webhooks']> {
  const lines = parsedLines('webhooks', await archive.text('webhooks'), copiedDefinition);
  const copier = await DefinitionCopier.load(trx, site, secretsKeys);
  const report = { created: 0, updated: 0, unchanged: 0, elsewhere: 0 };
  for (const { row, value } of lines) report[await inLine('webhooks', row, () => copier.copy(value))] += 1;
  return { ...report, notInArchive: copier.besides };
}
