/** The profiles of a site: named, and kept in versions. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import { ImportProfile } from '../../../db/models/import-profile.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { nearestName } from '../kernel/nearest-name.js';
import type { Page, PageRequest } from '../kernel/paging.js';
import { quoted } from '../kernel/value-problem.js';
import { type Profile, type ProfileFileType, profileSchema } from './model/profile.js';
import { shippedFor } from './profiles-of-type.js';
import { documentOf, SHIPPED_PROFILES, shippedProfile } from './shipped/registry.js';
import type { ShippedProfile } from './shipped/shipped-profile.js';

/** A list of a thousand can still be read. */
const MAX_PROFILES = 1_000;
/** Older versions are deleted; jobs have a copy of theirs. */
const MAX_VERSIONS = 1_000;

/** The only version of the profiles that come with Longshore. */
const SHIPPED_VERSION = 1;

/** One version of a profile. */
export interface StoredProfile {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly profile: Profile;
  /** When the profile was created; null: it comes with Longshore. */
  readonly createdAt: Date | null;
  /** When this version was. */
  readonly updatedAt: Date | null;
  /** What files a profile reads that comes with Longshore; null: it was saved. */
  readonly description: string | null;
}

/** What a list says of a profile. */
type ListedProfile = Omit<StoredProfile, 'id' | 'profile'> & { readonly fileType: ProfileFileType };

interface ProfileFilter {
  readonly fileType?: ProfileFileType | undefined;
  /** Whether they come with Longshore; undefined: both those that do and those that were saved. */
  readonly shipped?: boolean | undefined;
}

/** The profiles of a site by name, and after them those that come with Longshore and whose name no other has. */
export async function listProfiles(
  db: Db,
  siteId: number,
  { fileType, shipped }: ProfileFilter,
  { offset, limit }: PageRequest,
): Promise<Page<ListedProfile>> {
  const query = ImportProfile.query(db).where({ site_id: siteId });
  if (fileType !== undefined) query.where({ file_type: fileType });
  const count = shipped === true ? 0 : await query.clone().resultSize();
  const saved = count > offset ? await query.orderBy('name_key').offset(offset).limit(limit) : [];
  const ours = shipped === false ? [] : await listShipped(db, siteId, fileType);
  const from = Math.max(0, offset - count);
  const rows = [...saved.map(listedSaved), ...ours.slice(from, from + limit - saved.length)];
  return { rows, count: count + ours.length };
}

function listedSaved({ name, file_type, version, created_at, updated_at }: ImportProfile): ListedProfile {
  const fileType = file_type as ProfileFileType;
  return { name, fileType, version, createdAt: created_at, updatedAt: updated_at, description: null };
}

async function listShipped(db: Db, siteId: number, fileType: ProfileFileType | undefined): Promise<ListedProfile[]> {
  return (await shippedFor(db, siteId, fileType)).map(({ name, description, profile }) => ({
    ...{ name, description, fileType: profile.fileType, version: SHIPPED_VERSION },
    ...{ createdAt: null, updatedAt: null },
  }));
}

/**
 * A version of a profile, by default the newest. A profile of the site takes precedence over one that comes with Longshore.
 * @throws DomainError not-found PROFILE_NOT_FOUND, which names the profile that was probably meant
 */
export async function findProfile(db: Db, siteId: number, name: string, version?: number): Promise<StoredProfile> {
  const row = await ImportProfile.query(db).findOne({ site_id: siteId, name_key: attributeKey(name) });
  const ours = row === undefined ? shippedProfile(name) : undefined;
  if (ours !== undefined) return shownShipped(ours, version ?? SHIPPED_VERSION);
  if (row === undefined) throw await noSuchProfile(db, siteId, name);
  const wanted = version ?? row.version;
  const stored: { document: unknown; created_at: Date } | undefined = await db('import_profile_version')
    .where({ profile_id: row.id, version: wanted })
    .first('document', 'created_at');
  if (stored === undefined) throw noSuchVersion(row, wanted);
  return shown(row, wanted, profileSchema.parse(stored.document), stored.created_at);
}

/** @throws DomainError conflict PROFILE_EXISTS, PROFILE_LIMIT */
export async function createProfile(
  trx: Knex.Transaction,
  siteId: number,
  name: string,
  profile: Profile,
): Promise<StoredProfile> {
  await requireRoom(trx, siteId);
  const [row] = await trx('import_profile')
    .insert({
      id: newId(),
      site_id: siteId,
      name,
      name_key: attributeKey(name),
      file_type: profile.fileType,
      version: 1,
    })
    .onConflict(['site_id', 'name_key'])
    .ignore()
    .returning<ImportProfile[]>('*');
  if (row === undefined) throw profileExists(name);
  return shown(row, 1, profile, await insertVersion(trx, row.id, 1, profile));
}

/** @throws DomainError conflict PROFILE_LIMIT when the site has as many profiles as it may have */
export async function requireRoom(trx: Knex.Transaction, siteId: number): Promise<void> {
  const count = await ImportProfile.query(trx).where({ site_id: siteId }).resultSize();
  if (count < MAX_PROFILES) return;
  const message = `there are ${count} import profiles, which is the limit: delete those that nobody uses`;
  throw new DomainError('conflict', 'PROFILE_LIMIT', message);
}

/**
 * Adds a version, unless the profile is as it was.
 * @param expected the version that the client has read; null: whichever there is
 * @throws DomainError not-found; conflict PROFILE_CHANGED when another version is the newest by now
 */
export async function updateProfile(
  trx: Knex.Transaction,
  siteId: number,
  name: string,
  profile: Profile,
  expected: number | null,
): Promise<StoredProfile> {
  const row = await lockProfile(trx, siteId, name);
  requireVersion(row, expected);
  const before = await findProfile(trx, siteId, name);
  if (JSON.stringify(before.profile) === JSON.stringify(profile)) return before;
  const version = row.version + 1;
  await ImportProfile.query(trx)
    .findById(row.id)
    .patch({ version, file_type: profile.fileType, updated_at: trx.fn.now() as unknown as Date });
  const createdAt = await insertVersion(trx, row.id, version, profile);
  await trx('import_profile_version')
    .where({ profile_id: row.id })
    .where('version', '<=', version - MAX_VERSIONS)
    .delete();
  return shown(row, version, profile, createdAt);
}

/** Deletes a profile with all its versions; jobs keep their copies. @throws DomainError not-found */
export async function deleteProfile(trx: Knex.Transaction, siteId: number, name: string): Promise<StoredProfile> {
  const row = await lockProfile(trx, siteId, name);
  const deleted = await findProfile(trx, siteId, name);
  await ImportProfile.query(trx).deleteById(row.id);
  return deleted;
}

/** The versions of a profile, the newest first. @throws DomainError not-found */
export async function listVersions(
  db: Db,
  siteId: number,
  name: string,
  { offset, limit }: PageRequest,
): Promise<Page<{ readonly version: number; readonly created_at: Date | null }>> {
  const row = await ImportProfile.query(db).findOne({ site_id: siteId, name_key: attributeKey(name) });
  if (row === undefined) {
    if (shippedProfile(name) === undefined) throw await noSuchProfile(db, siteId, name);
    return { rows: offset === 0 ? [{ version: SHIPPED_VERSION, created_at: null }] : [], count: 1 };
  }
  const versions = () => db('import_profile_version').where({ profile_id: row.id });
  const [{ count = 0 } = {}] = await versions().count<{ count: number }[]>('* as count');
  const rows = await versions().orderBy('version', 'desc').offset(offset).limit(limit).select('version', 'created_at');
  return { rows, count: Number(count) };
}

/** The profile of a site, locked until the transaction ends. @throws DomainError not-found; conflict PROFILE_SHIPPED */
export async function lockProfile(trx: Knex.Transaction, siteId: number, name: string): Promise<ImportProfile> {
  const row = await ImportProfile.query(trx)
    .findOne({ site_id: siteId, name_key: attributeKey(name) })
    .forUpdate();
  if (row !== undefined) return row;
  const ours = shippedProfile(name);
  if (ours === undefined) throw await noSuchProfile(trx, siteId, name);
  const message = `the import profile ${quoted(ours.name)} comes with Longshore, and can neither be changed nor deleted: save a profile of your own by POST; if it has the same name, it takes precedence`;
  throw new DomainError('conflict', 'PROFILE_SHIPPED', message);
}

/** @throws DomainError conflict PROFILE_CHANGED when another version is the newest than the client has read */
export function requireVersion(
  { name, version }: Pick<ImportProfile, 'name' | 'version'>,
  expected: number | null,
): void {
  if (expected === null || expected === version) return;
  const message = `the import profile ${quoted(name)} was changed meanwhile: you sent version ${expected}, and its newest is ${version}. Read it again`;
  throw new DomainError('conflict', 'PROFILE_CHANGED', message);
}

export function profileExists(name: string): DomainError {
  const message = `there is an import profile ${quoted(name)} already: change it by PUT, or choose another name`;
  return new DomainError('conflict', 'PROFILE_EXISTS', message);
}

async function noSuchProfile(db: Db, siteId: number, name: string): Promise<DomainError> {
  const rows: { name: string }[] = await ImportProfile.query(db).where({ site_id: siteId }).select('name');
  const near = nearestName(name, [...rows, ...SHIPPED_PROFILES], (row) => row.name);
  const hint = near === undefined ? '' : `: did you mean ${quoted(near.name)}?`;
  return new DomainError('not-found', 'PROFILE_NOT_FOUND', `there is no import profile ${quoted(name)}${hint}`);
}

/** Stores the document of a version of a profile. @returns when it was */
export async function insertVersion(
  trx: Knex.Transaction,
  id: string,
  version: number,
  profile: Profile,
): Promise<Date> {
  const [row] = await trx('import_profile_version')
    .insert({ profile_id: id, version, document: JSON.stringify(profile) })
    .returning<{ created_at: Date }[]>('created_at');
  return row?.created_at ?? new Date();
}

function noSuchVersion({ name, version }: Pick<StoredProfile, 'name' | 'version'>, wanted: number): DomainError {
  const message = `the import profile ${quoted(name)} has no version ${wanted}: its newest is ${version}`;
  return new DomainError('not-found', 'PROFILE_VERSION_NOT_FOUND', message);
}

function shown(row: ImportProfile, version: number, profile: Profile, updatedAt: Date): StoredProfile {
  return {
    ...{ id: row.id, name: row.name, version, profile },
    ...{ createdAt: row.created_at, updatedAt, description: null },
  };
}

/** @throws DomainError not-found PROFILE_VERSION_NOT_FOUND */
function shownShipped(shipped: ShippedProfile, version: number): StoredProfile {
  const { name, description } = shipped;
  if (version !== SHIPPED_VERSION) throw noSuchVersion({ name, version: SHIPPED_VERSION }, version);
  const times = { createdAt: null, updatedAt: null };
  return { id: name, name, version, profile: documentOf(shipped), ...times, description };
}
