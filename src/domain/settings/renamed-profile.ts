/** Keeps a profile the default of its files when it gets another name. */
import type { Knex } from 'knex';
import { attributeKey } from '../kernel/attribute-key.js';
import { changeSettings } from './change-settings.js';
import { siteSettings } from './site-settings.js';

export async function followRenamed(
  trx: Knex.Transaction,
  siteId: number,
  before: string,
  next: string,
): Promise<void> {
  const { settings } = await siteSettings(trx, siteId);
  const named = Object.entries(settings.defaultProfiles).filter(
    ([, name]) => attributeKey(name) === attributeKey(before),
  );
  if (named.length === 0) return;
  await changeSettings(trx, siteId, { defaultProfiles: Object.fromEntries(named.map(([type]) => [type, next])) });
}
