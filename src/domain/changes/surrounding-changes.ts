/**
 * Keeps what jobs have changed of import profiles, settings and webhook definitions, as long as their other changes. It is no part
 * of the feed, whose readers may see neither settings nor addresses of partners.
 */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import type { SealedColumn } from '../access/reseal-secrets.js';
import { newId } from '../kernel/identifier.js';
import type { DefinitionChanger } from './changes-by-others.js';
import type { Image } from './model/definition-image.js';
import { SEALED_PLACES, type SealedSecrets, type SurroundingKind } from './model/surrounding-image.js';

/** One change of one of them. */
export interface SurroundingChange {
  readonly id: string;
  readonly jobId: string;
  readonly kind: SurroundingKind;
  readonly key: string;
  readonly at: Date;
  /** Null: it was not there. */
  readonly before: Image | null;
  /** Null: it is not there any more. */
  readonly after: Image | null;
}

const MOST_AT_ONCE = 100;

/** Pass the transaction of the change. @param sealed the secrets of what was deleted */
export async function recordSurroundingChange(
  db: Db,
  siteId: number,
  { before, after, ...change }: Omit<SurroundingChange, 'id' | 'at'>,
  sealed: SealedSecrets | null,
): Promise<void> {
  const { jobId, kind, key } = change;
  const images = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) };
  await db('surrounding_change').insert({
    id: newId(),
    site_id: siteId,
    job_id: jobId,
    kind,
    key,
    ...images,
    ...sealed,
  });
}

/**
 * Records what a dry run would have changed, after it was undone. It can be listed only, so that no secrets are kept.
 * @param changes in the order in which they were made
 */
export async function recordSurroundingPreview(
  db: Db,
  siteId: number,
  changes: readonly SurroundingChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ jobId, kind, key, before, after }) => ({
    ...{ id: newId(), site_id: siteId, job_id: jobId, kind, key, preview: true },
    ...{ before: before && JSON.stringify(before), after: after && JSON.stringify(after) },
  }));
  await db.batchInsert('surrounding_change', rows, MOST_AT_ONCE);
}

/** What was changed by jobs, in the order in which it was made. @param preview whether it is what a dry run would have changed */
export async function surroundingChangesBy(
  db: Db,
  jobIds: readonly string[],
  preview = false,
): Promise<SurroundingChange[]> {
  return db('surrounding_change')
    .where({ preview })
    .whereIn('job_id', [...jobIds])
    .orderBy(['at', 'id'])
    .select({ jobId: 'job_id' }, 'id', 'kind', 'key', 'at', 'before', 'after');
}

/** What kinds of things around the catalog jobs of a site have changed. */
export function surroundingKindsOf(db: Db, siteId: number, jobIds: readonly string[]): Promise<SurroundingKind[]> {
  return db('surrounding_change')
    .where({ site_id: siteId, preview: false })
    .whereIn('job_id', [...jobIds])
    .distinct()
    .pluck('kind');
}

/** The secrets of a webhook definition that a job has deleted. @returns undefined when they are no longer kept */
export function sealedSecretsOf(db: Db, siteId: number, changeId: string): Promise<SealedSecrets | undefined> {
  return db('surrounding_change')
    .where({ site_id: siteId, id: changeId })
    .whereNotNull('secret')
    .first(...(Object.keys(SEALED_PLACES) as (keyof SealedSecrets)[]));
}

/** Which jobs have changed these after a time, but for some: the last of them for each `kind key`. */
export async function surroundingChangers(
  db: Db,
  siteId: number,
  keys: readonly string[],
  jobIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, DefinitionChanger>> {
  if (keys.length === 0) return new Map();
  const rows: { kind: string; key: string; jobId: string }[] = await db('surrounding_change')
    .where({ site_id: siteId, preview: false })
    .whereIn('key', [...keys])
    .where('at', '>=', since)
    .whereNotIn('job_id', [...jobIds])
    .orderBy(['at', 'id'])
    .select('kind', 'key', { jobId: 'job_id' });
  return new Map(rows.map(({ kind, key, jobId }) => [`${kind} ${key}`, { jobId }]));
}

/** Deletes what is older than all changes that are kept. */
export function pruneSurroundingChanges(db: Db, keptSince: Date): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      // In the order of the index: without it, the table would be read as a whole each minute.
      `DELETE FROM surrounding_change WHERE id = ANY(ARRAY(
         SELECT id FROM surrounding_change WHERE at < ? ORDER BY at LIMIT ? FOR UPDATE SKIP LOCKED))`,
      [keptSince, limit],
    );
    return rowCount;
  });
}

/** Those of webhook definitions that were deleted. */
export const SECRETS_OF_THE_DELETED: readonly SealedColumn[] = Object.entries(SEALED_PLACES).map(([column, place]) => ({
  ...{ table: 'surrounding_change', column, place },
  sealedFor: { table: 'webhook_definition', id: 'key' },
}));
