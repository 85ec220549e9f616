/** Writes what an archive has around its catalog: import profiles, settings, and webhook definitions, which stay disabled. */
import type { Knex } from 'knex';
import { z } from 'zod';
import { SETTINGS_KEY } from '../../changes/model/surrounding-image.js';
import type { ArchiveReport } from '../../job-model/archive-report.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { profileName, profileSchema } from '../../profiles/model/profile.js';
import { createProfile, updateProfile } from '../../profiles/profiles.js';
import { settingsSchema } from '../../settings/settings.js';
import { siteSettings } from '../../settings/site-settings.js';
import { copiedDefinition, DefinitionCopier } from '../../webhooks/copied-definitions.js';
import { keepBefore } from '../surroundings/keep-before.js';
import { replaceSettings } from '../surroundings/replace-settings.js';
import { inLine, parsedLines } from './archive-lines.js';
import type { SiteArchive } from './read-archive.js';

interface SiteJob {
  readonly siteId: number;
  readonly jobId: string;
}

const profileLine = z.strictObject({ name: profileName, profile: profileSchema });

/** @throws RejectedInput */
export async function importProfiles(
  trx: Knex.Transaction,
  job: SiteJob,
  archive: SiteArchive,
): Promise<ArchiveReport['attributes']> {
  const { siteId } = job;
  const lines = parsedLines('profiles', await archive.text('profiles'), profileLine);
  const held: { id: string; name_key: string; version: number }[] = await trx('import_profile')
    .where({ site_id: siteId })
    .select('id', 'name_key', 'version');
  const known = new Map(held.map((one) => [one.name_key, one]));
  const report = { created: 0, updated: 0, unchanged: 0, notInArchive: 0 };
  for (const { row, value } of lines) {
    const { name, profile } = value;
    const before = known.get(attributeKey(name));
    const write = async () => {
      if (before === undefined) {
        report.created += 1;
        return (await createProfile(trx, siteId, name, profile)).id;
      }
      const { id, version } = await updateProfile(trx, siteId, name, profile, null);
      report[version === before.version ? 'unchanged' : 'updated'] += 1;
      return id;
    };
    await inLine('profiles', row, () => keepBefore(trx, job, 'profile', before?.id ?? null, write));
  }
  return { ...report, notInArchive: held.length - report.updated - report.unchanged };
}

/** The settings become those of the archive; one without settings leaves them. @throws RejectedInput */
export async function importSettings(
  trx: Knex.Transaction,
  job: SiteJob,
  archive: SiteArchive,
): Promise<ArchiveReport['settings']> {
  const { siteId } = job;
  const [line] = parsedLines('settings', await archive.text('settings'), settingsSchema);
  if (line === undefined) return 'UNCHANGED';
  const { version } = await siteSettings(trx, siteId);
  let after = version;
  const write = async () => {
    after = await replaceSettings(trx, siteId, line.value);
    return SETTINGS_KEY;
  };
  await inLine('settings', line.row, () => keepBefore(trx, job, 'settings', SETTINGS_KEY, write));
  return after === version ? 'UNCHANGED' : 'CHANGED';
}

/** @throws RejectedInput */
export async function importWebhooks(
  trx: Knex.Transaction,
  job: SiteJob & { readonly accountId: string },
  archive: SiteArchive,
  secretsKeys: readonly string[],
): Promise<ArchiveReport['webhooks']> {
  const lines = parsedLines('webhooks', await archive.text('webhooks'), copiedDefinition);
  const keep = (id: string | null, write: () => Promise<string>) => keepBefore(trx, job, 'webhook', id, write);
  const copier = await DefinitionCopier.load(trx, job, secretsKeys, keep);
  const report = { created: 0, updated: 0, unchanged: 0, elsewhere: 0 };
  for (const { row, value } of lines) report[await inLine('webhooks', row, () => copier.copy(value))] += 1;
  return { ...report, notInArchive: copier.besides };
}
