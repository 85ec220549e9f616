/** What the sessions of a test's own database do: suites that run beside it may share its server. */

/** SQL: locks of this database. A wait for the end of another transaction names no database, and is not among them. */
export const OWN_LOCKS = `(SELECT * FROM pg_locks
  WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS own_lock`;

/** SQL: sessions of this database's clients; not those of autovacuum. In a transaction, Postgres answers as at the first look. */
export const OWN_SESSIONS = `(SELECT * FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend') AS own_session`;
