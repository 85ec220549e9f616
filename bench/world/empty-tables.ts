/** Empties tables, so that no run pays for another's rows. */
import type pg from 'pg';

/** In the order in which a job locks them: what a worker is still about is waited for, and not deadlocked with. */
const CATALOG_AND_JOBS =
  'job, job_order, job_order_floor, job_chunk, job_error, file, item, item_unique_value, change_set, item_change';
/** Who may do what, and did: the audit log refuses it. A site's number is kept by the API for ever; its contents go. */
const KEPT = [
  ...['account', 'access_token', 'oauth_client', 'site', 'audit_entry'],
  ...['schema_migration', 'schema_migration_lock'],
];
/** A deadlock, a lock not had in time. */
const IN_THE_WAY = ['40P01', '55P03'];
const PATIENCE_MS = 1_000;
const ATTEMPTS = 20;

/** All items and jobs, ended or not. New, empty files stand in place of the tables' old ones. */
export async function emptyCatalogAndJobs(db: pg.Client): Promise<void> {
  await truncate(db, CATALOG_AND_JOBS);
}

/** Everything but accounts and the names of sites. */
export async function emptyEverything(db: pg.Client): Promise<void> {
  const { rows } = await db.query<{ rest: string | null }>(
    `SELECT string_agg(quote_ident(tablename), ', ' ORDER BY tablename) AS rest FROM pg_tables
     WHERE schemaname = 'public' AND tablename <> ALL ($1) AND tablename <> ALL ($2)`,
    [KEPT, CATALOG_AND_JOBS.split(', ')],
  );
  await truncate(db, [CATALOG_AND_JOBS, rows[0]?.rest].filter((tables) => tables != null).join(', '));
}

async function truncate(db: pg.Client, tables: string): Promise<void> {
  await db.query(`SET lock_timeout = ${PATIENCE_MS}`);
  for (let attempt = 1; ; attempt++) {
    try {
      await db.query(`TRUNCATE ${tables} CASCADE`);
      break;
    } catch (error) {
      const inTheWay = error instanceof Error && 'code' in error && IN_THE_WAY.includes(String(error.code));
      if (!inTheWay || attempt === ATTEMPTS) throw error;
      await cancelStatements(db);
    }
  }
  await db.query('RESET lock_timeout');
  await db.query('CHECKPOINT');
}

/** What works on rows that are about to go is of no use any more, and may take minutes. */
async function cancelStatements(db: pg.Client): Promise<void> {
  await db.query(
    `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
       AND state = 'active' AND query_start < clock_timestamp() - ${PATIENCE_MS} * interval '1 millisecond'`,
  );
}
