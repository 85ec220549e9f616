/** The endpoints of the settings of a data set. */
import { z } from 'zod';
import { changeSettings } from '../../domain/settings/change-settings.js';
import { type SiteSettings, settingsPatchSchema, settingsSchema } from '../../domain/settings/settings.js';
import { siteSettings } from '../../domain/settings/site-settings.js';
import { isLive } from '../../domain/settings/stages.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { asInteger, digits } from '../list-query.js';

const MAX_VERSION = 2_147_483_647;

const shownSettings = settingsSchema
  .extend({
    live: z.boolean().meta({
      description: 'Whether customers see what is changed in the stage. Before it is set: whether it is production',
    }),
    version: z.int().meta({ description: '0: nothing was set yet' }),
    updatedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SiteSettings' });

const readSettingsRoute = defineRoute({
  method: 'GET',
  path: '/site-settings',
  operationId: 'getSiteSettings',
  family: 'files',
  tag: 'Settings',
  summary: 'Read the settings of a data set',
  description:
    'Other names of columns, which proposals for files know, the import profiles of types of files, which jobs need an approval, and whether the stage is live.',
  auth: { scope: 'catalog:admin' },
  siteContext: true,
  query: z.strictObject({
    version: digits(0, MAX_VERSION)
      .optional()
      .meta(asInteger('Default: the newest', 0, MAX_VERSION)),
  }),
  refusals: { 404: 'There is no such version' },
  responses: { 200: { description: 'The settings', schema: shownSettings } },
  async handle({ query, site }, { db }) {
    return { status: 200, body: present(site.stage, await siteSettings(db, site.siteId, query.version)) };
  },
});

const changeSettingsRoute = defineRoute({
  method: 'PATCH',
  path: '/site-settings',
  operationId: 'updateSiteSettings',
  family: 'files',
  tag: 'Settings',
  summary: 'Change settings of a data set',
  description:
    'What is left out stays as it is; null removes a member of `aliases` or `defaultProfiles`. Each change is a version.',
  auth: { scope: 'catalog:admin' },
  siteContext: true,
  body: { schema: settingsPatchSchema, example: { aliases: { SKU: ['Artikelnummer', 'Art.-Nr.'] } } },
  refusals: { 404: 'There is no such import profile', 409: 'The settings were changed since you have read them' },
  responses: { 200: { description: 'The settings as they are now', schema: shownSettings } },
  audit: 'SITE_SETTINGS_CHANGED',
  async handle({ body, site, audit }, { db, approvalRules }) {
    const changed = await db.transaction(async (trx) => {
      const settings = await changeSettings(trx, site.siteId, body);
      await audit.record(trx, `site-settings/${settings.version}`);
      return settings;
    });
    approvalRules.forget(site.siteId);
    return { status: 200, body: present(site.stage, changed) };
  },
});

function present(stage: string, stored: { version: number; settings: SiteSettings; updatedAt: Date | null }) {
  const { version, settings, updatedAt } = stored;
  return { ...settings, live: isLive(stage, settings.live), version, updatedAt: updatedAt?.toISOString() ?? null };
}

export const siteSettingsRoutes: readonly Route[] = [readSettingsRoute, changeSettingsRoute];
