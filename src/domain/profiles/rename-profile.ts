/** Gives a profile another name. */
import type { Knex } from 'knex';
import pg from 'pg';
import { attributeKey } from '../kernel/attribute-key.js';
import { findProfile, lockProfile, profileExists, requireVersion, type StoredProfile } from './profiles.js';

const UNIQUE_VIOLATION = '23505';

/**
 * The profile keeps its versions; jobs that were accepted with it keep the name that it had.
 * @param expected the version that the client has read; null: whichever there is
 * @throws DomainError not-found; conflict PROFILE_SHIPPED, PROFILE_CHANGED, PROFILE_EXISTS
 */
export async function renameProfile(
  trx: Knex.Transaction,
  siteId: number,
  name: string,
  next: string,
  expected: number | null,
): Promise<{ readonly before: string; readonly renamed: StoredProfile }> {
  const row = await lockProfile(trx, siteId, name);
  requireVersion(row, expected);
  try {
    await trx('import_profile')
      .where({ id: row.id })
      .update({ name: next, name_key: attributeKey(next), updated_at: trx.fn.now() });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) throw profileExists(next);
    throw error;
  }
  return { before: row.name, renamed: await findProfile(trx, siteId, next) };
}
