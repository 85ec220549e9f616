/** Locks sites for the beginning of jobs, and the rows of these jobs. */
import type { Knex } from 'knex';
import { ADVISORY_LOCKS, stepMark } from '../../../../db/advisory-locks.js';
import { copyValue } from '../../../../db/copy-value.js';
import { JOB_COLUMNS, type JobRow } from '../../../../db/models/job.js';
import { prepared } from '../../../../db/prepared.js';
import { sql } from '../../../../db/sql.js';

/** Jobs of one site that may begin together. */
interface Wanted {
  readonly siteId: number;
  /** The lock of the site is shared with other concurrent jobs. */
  readonly concurrent: boolean;
  readonly entries: readonly { readonly jobId: string }[];
}

export interface LockedRow extends JobRow {
  /** The bytes of the rows of its request; null: it has a file. */
  readonly input_bytes: number | null;
  /** These rows, if they are few; others are read by `readRows`. */
  readonly input: string | null;
  /** Its index among the wanted jobs of its site. */
  readonly nth: number;
}

/** Rows up to this size come with their job: a statement of its own for them would cost more than it saves. */
const FEW_BYTES = 64 * 1024;

const COLUMNS = JOB_COLUMNS.map((column) => `job.${column}`).join(', ');

/** SQL. @param patienceMs null: the statement waits for each lock as long as it takes; otherwise it waits for none */
function lockStatement(patienceMs: number | null): string {
  const lock = patienceMs === null ? 'pg_advisory_xact_lock' : 'pg_try_advisory_xact_lock';
  const argument = `(${ADVISORY_LOCKS.begin}, "siteId")`;
  const locks = `CASE WHEN concurrent THEN ${lock}_shared${argument} ELSE ${lock}${argument} END`;
  const locked =
    patienceMs === null
      ? `${locks} IS NOT NULL AS locked`
      : `${locks} AS locked, set_config('lock_timeout', '${patienceMs}ms', true)`;
  // A job's row that was changed after the statement began is read again when it is locked.
  return `WITH site AS MATERIALIZED (
       SELECT "siteId", ids, ${locked}
       FROM jsonb_to_recordset(:sites::jsonb) AS site ("siteId" integer, concurrent boolean, ids jsonb)
     )
     SELECT site."siteId" AS own_site, member.*
     FROM site LEFT JOIN LATERAL (
       SELECT ${COLUMNS}, chunk.*, member.nth::integer - 1 AS nth, ${stepMark('job.id')}
       FROM jsonb_array_elements_text(site.ids) WITH ORDINALITY AS member (id, nth)
       CROSS JOIN LATERAL (
         SELECT * FROM job WHERE id = member.id COLLATE "C" AND step = 'plan' AND completed_at IS NULL
         LIMIT 1 FOR NO KEY UPDATE${patienceMs === null ? '' : ' SKIP LOCKED'}) AS job
       LEFT JOIN LATERAL (
         SELECT octet_length(input) AS input_bytes, CASE WHEN octet_length(input) <= ${FEW_BYTES} THEN input END AS input
         FROM job_chunk WHERE job_id = job.id AND idx = 0 LIMIT 1) AS chunk ON true
     ) AS member ON true
     WHERE site.locked`;
}

/** After a statement that waits for nothing, the transaction waits so long for each other lock. */
const PATIENCE_MS = 250;
const WAITS = lockStatement(null);
const TRIES = lockStatement(PATIENCE_MS);

/**
 * Locks sites, and in these the rows of jobs whose plan step is due.
 * @param waits false: as far as no other transaction has locked them
 * @returns the rows of each site whose lock is held, in the order of its jobs
 */
export async function lockJobs(
  trx: Knex.Transaction,
  wanted: readonly Wanted[],
  waits: boolean,
): Promise<ReadonlyMap<number, LockedRow[]>> {
  const sites = wanted.map(({ siteId, concurrent, entries }) => {
    return { siteId, concurrent, ids: entries.map(({ jobId }) => jobId) };
  });
  const result = await prepared<{ rows: (LockedRow & { own_site: number })[] }>(trx, waits ? WAITS : TRIES, {
    sites: JSON.stringify(sites),
  });
  const rows = new Map<number, LockedRow[]>();
  for (const { own_site: siteId, ...row } of result.rows.sort((a, b) => a.nth - b.nth)) {
    const others = rows.get(siteId) ?? [];
    rows.set(siteId, others);
    if (row.id !== null) others.push(row);
  }
  return rows;
}

/** @returns the rows of the request of a job that is locked; empty for a file */
export async function readRows(trx: Knex.Transaction, { id, input, input_bytes: bytes }: LockedRow): Promise<Buffer> {
  if (bytes === null || input !== null) return Buffer.from(input ?? '');
  return copyValue(trx, sql`SELECT input FROM job_chunk WHERE job_id = ${id} AND idx = 0`, bytes);
}
