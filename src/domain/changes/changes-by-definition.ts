/** Reads what jobs have changed of definitions. */
import type { Knex } from 'knex';
import type { DefinitionKind, Image } from './model/definition-image.js';
import { DEFINITION_CHANGES } from './model/of-set.js';

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
     FROM change_set AS set ${DEFINITION_CHANGES.text}
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
