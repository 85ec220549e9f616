/** SQL: when a job begins and ends. */

/**
 * SQL: when a job begins, by the clock of the database, because those of other machines differ. `now()` would be the
 * start of the transaction, in which other steps of the job may have run. Never before the job was accepted, even if the
 * clock was set back meanwhile.
 */
export const BEGINS_AT = 'greatest(clock_timestamp(), job.created_at)';
/** SQL: likewise when jobs end. Those that one statement ends end at the same moment. */
export const ENDS_AT = 'greatest(statement_timestamp(), job.started_at, job.created_at)';
