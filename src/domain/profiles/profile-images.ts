/** Reads import profiles by their ids, and creates deleted ones again. */
import type { Knex } from 'knex';
import { attributeKey } from '../kernel/attribute-key.js';
import { profileSchema } from './model/profile.js';
import { insertVersion, profileExists, requireRoom } from './profiles.js';

/** A profile with its newest version. */
export interface ProfileImage {
  readonly name: string;
  readonly version: number;
  /** As it is stored: jsonb would order the entries of its tables anew. */
  readonly document: string;
}

/** @param locks whether others wait with changes of them until the transaction ends */
export async function imagesOfProfiles(
  trx: Knex.Transaction,
  siteId: number,
  ids: readonly string[],
  locks: boolean,
): Promise<{ readonly key: string; readonly image: ProfileImage }[]> {
  const rows: { key: string; name: string; version: number }[] = await trx('import_profile')
    .where({ site_id: siteId })
    .whereIn('id', [...ids])
    .orderBy('id')
    .modify((query) => (locks ? query.forUpdate() : query))
    .select({ key: 'id' }, 'name', 'version');
  const { rows: documents } = await trx.raw<{ rows: { id: string; document: string }[] }>(
    `SELECT profile_id AS id, newest.document::text AS document
     FROM jsonb_to_recordset(?::jsonb) AS wanted (key text, version integer)
     JOIN import_profile_version AS newest ON newest.profile_id = wanted.key COLLATE "C" AND newest.version = wanted.version`,
    [JSON.stringify(rows)],
  );
  const stored = new Map(documents.map(({ id, document }) => [id, document]));
  return rows.map(({ key, name, version }) => ({ key, image: { name, version, document: stored.get(key) ?? '' } }));
}

/**
 * Creates a deleted profile again, with its id. It has only its last version, whose number it keeps: jobs have run with it.
 * @throws DomainError conflict PROFILE_EXISTS, PROFILE_LIMIT
 */
export async function restoreProfile(
  trx: Knex.Transaction,
  siteId: number,
  id: string,
  { name, version, document }: ProfileImage,
): Promise<void> {
  await requireRoom(trx, siteId);
  const profile = profileSchema.parse(JSON.parse(document));
  const row = { id, site_id: siteId, name, name_key: attributeKey(name), file_type: profile.fileType, version };
  const created = await trx('import_profile')
    .insert(row)
    .onConflict(['site_id', 'name_key'])
    .ignore()
    .returning<{ id: string }[]>('id');
  if (created.length === 0) throw profileExists(name);
  await insertVersion(trx, id, version, profile);
}
