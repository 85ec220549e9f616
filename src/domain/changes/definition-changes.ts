/**
 * What changed of definitions: attributes, categories, assignments and mappings. Triggers of their tables record it (see the
 * migration `definition-changes`); here stands who makes a change, and what a dry run would have changed.
 */
import type { Knex } from 'knex';

/** Whose changes a transaction makes from now on. */
interface Changer {
  /** Null: a request that is no job. */
  readonly jobId: string | null;
  /** Who asked for it: "token:5f…". Null: the system itself. */
  readonly actor: string | null;
}

/** Notes who changes definitions in this transaction, until another one is noted. */
export async function noteChanger(trx: Knex.Transaction, { jobId, actor }: Changer): Promise<void> {
  await trx.raw("SELECT set_config('longshore.job', ?, true), set_config('longshore.actor', ?, true)", [
    jobId ?? '',
    actor ?? '',
  ]);
}

/** A change as the log keeps it. */
export interface DefinitionChange {
  readonly kind: string;
  readonly key: string;
  /** C, U or D. */
  readonly operation: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** What a job has changed in a transaction that is about to be undone. */
export async function definitionChangesOf(trx: Knex.Transaction, jobId: string): Promise<DefinitionChange[]> {
  const { rows } = await trx.raw<{ rows: DefinitionChange[] }>(
    `SELECT change.kind, change.key, change.operation, change.before, change.after
     FROM change_set AS set JOIN definition_change AS change ON change.set_id = set.id AND change.at = set.at
     WHERE set.job_id = ? AND set.position IS NULL AND NOT set.preview ORDER BY set.id, change.n`,
    [jobId],
  );
  return rows;
}

/** Records what a dry run would have changed, after it was undone. */
export async function recordDefinitionPreview(
  trx: Knex.Transaction,
  { siteId, jobId, actor }: Changer & { readonly siteId: number },
  changes: readonly DefinitionChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await trx.raw(
    `WITH set AS (
       INSERT INTO change_set (site_id, job_id, actor, preview) VALUES (:siteId, :jobId, :actor, true)
       RETURNING id, site_id, at
     )
     INSERT INTO definition_change (set_id, n, site_id, at, kind, key, operation, before, after)
     SELECT set.id, change.n, set.site_id, set.at, one ->> 'kind', one ->> 'key', (one ->> 'operation')::"char",
       nullif(one -> 'before', 'null'), nullif(one -> 'after', 'null')
     FROM set CROSS JOIN jsonb_array_elements(:changes::jsonb) WITH ORDINALITY AS change (one, n)`,
    { siteId, jobId, actor, changes: JSON.stringify(changes) },
  );
}
