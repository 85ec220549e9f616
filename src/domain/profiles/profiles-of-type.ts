/** The profiles that read one type of file, with their documents. */
import type { Db } from '../../../db/connection.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { type Profile, type ProfileFileType, profileSchema } from './model/profile.js';
import { documentOf, SHIPPED_PROFILES } from './shipped/registry.js';

/** Who has more profiles than these knows by which one a file is read. */
const MOST_SAVED = 50;

export interface ProfileOfType {
  readonly name: string;
  readonly profile: Profile;
  /** What files a profile reads that comes with Longshore; null: it was saved. */
  readonly description: string | null;
}

/**
 * The saved ones that were changed last, and those that come with Longshore and whose name no other has.
 * @param pause is called between documents
 */
export async function profilesOfType(
  db: Db,
  siteId: number,
  fileType: ProfileFileType,
  pause: () => Promise<void>,
): Promise<ProfileOfType[]> {
  const rows: { name: string; name_key: string; document: unknown }[] = await db('import_profile as p')
    .join('import_profile_version as v', (on) => on.on('v.profile_id', 'p.id').andOn('v.version', 'p.version'))
    .where({ 'p.site_id': siteId, 'p.file_type': fileType })
    .orderBy('p.updated_at', 'desc')
    .limit(MOST_SAVED)
    .select('p.name', 'p.name_key', 'v.document');
  const found: ProfileOfType[] = [];
  for (const { name, document } of rows) {
    await pause();
    // One that is no longer valid says so when it is chosen.
    const { data: profile } = profileSchema.safeParse(document);
    if (profile !== undefined) found.push({ name, profile, description: null });
  }
  const taken = new Set(rows.map(({ name_key }) => name_key));
  for (const shipped of SHIPPED_PROFILES) {
    const { name, description, profile } = shipped;
    if (profile.fileType !== fileType || taken.has(attributeKey(name))) continue;
    found.push({ name, profile: documentOf(shipped), description });
  }
  return found;
}
