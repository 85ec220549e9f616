/** What the planner knows of the tables: nothing, as on a new system, or all, as on one that has run for a while. */
import type pg from 'pg';

/**
 * Runs `work` while nothing vacuums or analyzes unasked. The system is durable and complete otherwise; autovacuum would
 * come once in some runs, at a moment of its own, and not in others.
 */
export async function withoutAutovacuum<T>(db: pg.Client, work: () => Promise<T>): Promise<T> {
  await setAutovacuum(db, 'ALTER SYSTEM SET autovacuum = off');
  try {
    return await work();
  } finally {
    await setAutovacuum(db, 'ALTER SYSTEM RESET autovacuum');
  }
}

async function setAutovacuum(db: pg.Client, statement: string): Promise<void> {
  await db.query(statement);
  await db.query('SELECT pg_reload_conf()');
}

/** As if no table had ever been analyzed (Postgres 18, which the benchmarks bring along). */
export async function forgetStatistics(db: pg.Client): Promise<void> {
  await db.query(
    "SELECT pg_clear_relation_stats(schemaname, relname) FROM pg_stat_user_tables WHERE schemaname = 'public'",
  );
  await db.query(
    "SELECT pg_clear_attribute_stats(schemaname, tablename, attname, inherited) FROM pg_stats WHERE schemaname = 'public'",
  );
}

/** As autovacuum leaves them behind. */
export async function analyzeAll(db: pg.Client): Promise<void> {
  await db.query('VACUUM (ANALYZE)');
  await db.query('CHECKPOINT');
}
