/** Finds what uses import profiles. */
import type { Knex } from 'knex';
import { attributeKey } from '../../kernel/attribute-key.js';
import { quoted } from '../../kernel/value-problem.js';
import { siteSettings } from '../../settings/site-settings.js';

interface CreatedProfile {
  readonly name: string;
  /** When it was created. */
  readonly at: string;
}

/** What uses a profile that a job has created, in words for a message; undefined: nothing. Jobs of these ids do not count. */
export async function useOfProfile(
  trx: Knex.Transaction,
  siteId: number,
  { name, at }: CreatedProfile,
  ownJobs: readonly string[],
): Promise<string | undefined> {
  const { settings } = await siteSettings(trx, siteId);
  const defaults = Object.entries(settings.defaultProfiles);
  const [fileType] = defaults.find(([, one]) => attributeKey(one) === attributeKey(name)) ?? [];
  if (fileType !== undefined) return `it is the default of files of ${fileType}`;
  const feeds: { name: string; profile: string }[] = await trx('feed')
    .where({ site_id: siteId })
    .whereRaw("options ->> 'profile' IS NOT NULL")
    .orderBy('name_key')
    .select('name', trx.raw("options ->> 'profile' AS profile"));
  const feed = feeds.find(({ profile }) => attributeKey(profile) === attributeKey(name));
  if (feed !== undefined) return `the feed ${quoted(feed.name)} uses it`;
  const job: { id: string } | undefined = await trx('job')
    .where({ site_id: siteId })
    .where('created_at', '>=', at)
    .whereNotIn('id', [...ownJobs])
    .whereRaw("options -> 'profile' ->> 'name' = ?", [name])
    .orderBy('id')
    .first('id');
  return job && `job ${job.id} was accepted with it`;
}
