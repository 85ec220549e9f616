/** SQL: from when on a job waits. */

/**
 * SQL: from when on the time of a job counts: from its acceptance, but for the file of a client who had to say first how
 * it is to be imported.
 */
export const BEGINS_TO_WAIT = `CASE
  WHEN job.input_file_id IS NOT NULL AND EXISTS (
    SELECT FROM file WHERE file.id = job.input_file_id AND file.hold_hours IS NOT NULL)
  THEN coalesce(job.started_at, job.completed_at) ELSE job.created_at END`;
