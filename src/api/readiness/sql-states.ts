/** The SQLSTATEs by which readiness tells what is wrong with the database. */

/** SQLSTATEs of a schema that is older than this build, which is the subject of another part. */
export const OLD_SCHEMA = /^(42P01|42703|3F000)$/;
export const DISK_FULL = '53100';
export const READ_ONLY = '25006';
/** A lock was not given in time, or a statement has taken too long, which may have waited for one. */
export const WAITED = ['55P03', '57014'];
