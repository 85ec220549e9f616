/** The profiles that read one type of file, with their documents. */
import type { Db } from '../../../db/connection.js';
import { ImportProfile } from '../../../db/models/import-profile.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { type Profile, type ProfileFileType, profileSchema } from './model/profile.js';
import { documentOf, SHIPPED_PROFILES } from './shipped/registry.js';
import type { ShippedProfile } from './shipped/shipped-profile.js';

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
  const rows: { name: string; document: unknown }[] = await db('import_profile as p')
    .join('import_profile_version as v', (on) => on.on('v.profile_id', 'p.id').andOn('v.version', 'p.version'))
    .where({ 'p.site_id': siteId, 'p.file_type': fileType })
    .orderBy('p.updated_at', 'desc')
    .limit(MOST_SAVED)
    .select('p.name', 'v.document');
  const found: ProfileOfType[] = [];
  for (const { name, document } of rows) {
    await pause();
    // One that is no longer valid says so when it is chosen.
    const { data: profile } = profileSchema.safeParse(document);
    if (profile !== undefined) found.push({ name, profile, description: null });
  }
  for (const shipped of await shippedFor(db, siteId, fileType)) {
    await pause();
    found.push({ name: shipped.name, profile: documentOf(shipped), description: shipped.description });
  }
  return found;
}

/** The profiles that come with Longshore and whose name no profile of the site has, of any type of file. */
export async function shippedFor(
  db: Db,
  siteId: number,
  fileType: ProfileFileType | undefined,
): Promise<ShippedProfile[]> {
  const keys = SHIPPED_PROFILES.map(({ name }) => attributeKey(name));
  const saved = await ImportProfile.query(db).where({ site_id: siteId }).whereIn('name_key', keys).select('name_key');
  const taken = new Set(saved.map((row) => row.name_key));
  return SHIPPED_PROFILES.filter(
    ({ name, profile }) => !taken.has(attributeKey(name)) && (fileType ?? profile.fileType) === profile.fileType,
  );
}
