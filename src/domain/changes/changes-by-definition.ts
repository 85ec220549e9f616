/** Reads what jobs have changed of definitions, and what others have changed of these since. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { DefinitionKind, Image } from './model/definition-image.js';

/** One change of one definition. */
export interface OwnDefinitionChange {
  readonly kind: DefinitionKind;
  readonly key: string;
  readonly setId: number;
  readonly at: Date;
  /** Null: it was not there. */
  readonly before: Image | null;
  /** Null: it is not there any more. */
  readonly after: Image | null;
}

/** The changes of jobs, in the order in which they were made. There are few of them: all are in memory. */
export async function definitionChangesBy(
  trx: Knex.Transaction,
  jobIds: readonly string[],
): Promise<OwnDefinitionChange[]> {
  const { rows } = await trx.raw<{ rows: OwnDefinitionChange[] }>(
    `SELECT change.kind, change.key, set.id AS "setId", set.at, change.before, change.after
     FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
     WHERE set.job_id = ANY (:jobIds) AND NOT set.preview ORDER BY set.id, change.n`,
    { jobIds: [...jobIds] },
  );
  return rows;
}

/** The last set in which jobs have changed items; null: they have changed none. */
export async function lastItemSet(trx: Knex.Transaction, jobIds: readonly string[]): Promise<number | null> {
  const { rows } = await trx.raw<{ rows: { last: number | null }[] }>(
    `SELECT max(set.id) AS last FROM change_set AS set
     WHERE set.job_id = ANY (:jobIds) AND NOT set.preview AND (set.created IS NOT NULL OR EXISTS (
       SELECT FROM item_change AS change
       WHERE change.set_id = set.id AND change.at = set.at AND change.operation IN ('U', 'D')))`,
    { jobIds: [...jobIds] },
  );
  return rows[0]?.last ?? null;
}

/** Who has last changed a definition. */
export interface DefinitionChanger {
  /** Null: a request that is no job. */
  readonly jobId: string | null;
}

/**
 * Who has changed definitions after a time, but for these jobs: the last of them for each `kind key`.
 * @param since none of the wanted changes is older
 */
export async function definitionChangers(
  db: Db,
  siteId: number,
  definitions: readonly { readonly kind: string; readonly key: string }[],
  jobIds: readonly string[],
  since: Date,
): Promise<ReadonlyMap<string, DefinitionChanger>> {
  if (definitions.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: { kind: string; key: string; jobId: string | null }[] }>(
    `SELECT change.kind, change.key, set.job_id AS "jobId"
     FROM definition_change AS change JOIN change_set AS set ON set.id = change.set_id AND set.at = change.at
     WHERE change.site_id = :siteId AND change.key = ANY (:keys) AND change.at >= :since AND NOT set.preview
       AND (set.job_id IS NULL OR set.job_id <> ALL (:jobIds))
     ORDER BY set.id, change.n`,
    { siteId, keys: definitions.map(({ key }) => key), since, jobIds: [...jobIds] },
  );
  return new Map(rows.map(({ kind, key, jobId }) => [`${kind} ${key}`, { jobId }]));
}
