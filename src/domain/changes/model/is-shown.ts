/**
 * SQL: what was previewed is no more what a job has changed, or would change, once it was approved to change it. While a job
 * whose rows were applied waits for its removals, these are what it would change; if they were not approved, they are not.
 * @param changed the alias of what says whether it is a preview; of the job `:jobId`
 */
export function isShown(changed: 'set' | 'change'): string {
  return `(CASE WHEN ${changed}.preview THEN NOT EXISTS (
  SELECT FROM job WHERE id = :jobId AND (options -> 'approval' ->> 'state' = 'approved'
    OR (options -> 'approval' ->> 'only' = 'removals' AND status <> 'AWAITING_APPROVAL')))
  ELSE NOT EXISTS (SELECT FROM job WHERE id = :jobId AND status = 'AWAITING_APPROVAL') END)`;
}
