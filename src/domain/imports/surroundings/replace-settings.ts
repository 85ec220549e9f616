/** Gives a stage the settings that an archive has, or that the stage had before one. */
import type { Knex } from 'knex';
import { writeSettings } from '../../settings/change-settings.js';
import type { SiteSettings } from '../../settings/settings.js';
import { siteSettings } from '../../settings/site-settings.js';

/** What the stage has besides is removed; whether it is live stays. @returns the version, as in writeSettings @throws DomainError */
export async function replaceSettings(
  trx: Knex.Transaction,
  siteId: number,
  { aliases, defaultProfiles, approval }: Omit<SiteSettings, 'live'>,
): Promise<number> {
  const { settings } = await siteSettings(trx, siteId);
  const removed = (names: object) => Object.fromEntries(Object.keys(names).map((name) => [name, null]));
  const patch = {
    aliases: { ...removed(settings.aliases), ...aliases },
    defaultProfiles: { ...removed(settings.defaultProfiles), ...defaultProfiles },
    approval,
  };
  return (await writeSettings(trx, siteId, patch)).version;
}
