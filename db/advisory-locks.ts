/**
 * All advisory locks of Longshore. Their keys share one namespace per database, so two locks with the same key would
 * wait for each other. A test finds files that use a key that is not listed here. Each key is a word in ASCII.
 */
export const ADVISORY_LOCKS = {
  /** The migrations of a release: two releases at once wait for each other. */
  release: 0x4c6f6e67,
  /** Held by the maintenance process that leads, for one run. */
  maintenance: 0x6d61696e,
  /** Held while a partition of the change log is created. */
  changePartitions: 0x63686e67,
  /** With a site's id: held while a job of the site begins. Concurrent jobs share it. */
  begin: 0x6c696e65,
  /** With a site's id: held while a job of the site gets its position. */
  position: 0x706f736e,
  /** With a site's id: held while chunk windows of the site are filled; otherwise two jobs would use the same room. */
  chunkWindow: 0x77696e64,
  /**
   * With a site's id, or the hash of an account's: held while its jobs of a type with a window (exports) are counted;
   * without it, two jobs would both find room.
   */
  siteWindow: 0x65787077,
  /** Held while a look at a feed is chosen, so that those of an account can be counted. */
  feedLooks: 0x6c6f6f6b,
  /** Seed of the hash of a job's id: held by the worker that executes an atomic job. */
  atomicJob: 0x77686f6c65,
  /** Seed of the hash of a job's id: shared by the transactions of the job's steps, so that a cancellation finds them. */
  step: 0x73746570,
} as const;

/**
 * SQL: a column that marks the transaction as that of a step of a job, until it ends. The mark is an advisory lock that
 * is always shared, so that nothing waits for it. Select it with the statement that locks what the step needs.
 * @param id SQL: the id of the job
 */
export function stepMark(id: 'job.id' | 'job_chunk.job_id' | ':jobId'): string {
  return `pg_advisory_xact_lock_shared(hashtextextended(${id}, ${ADVISORY_LOCKS.step})) AS step_mark`;
}
