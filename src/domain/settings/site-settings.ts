/** Reads the settings of a site, which are kept in versions. */
import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../db/connection.js';
import { prepared } from '../../../db/prepared.js';
import { DomainError } from '../kernel/errors.js';
import { type SiteSettings, settingsSchema } from './settings.js';

export interface StoredSettings {
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
