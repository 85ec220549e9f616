/** Jobs that end while they wait for an approval: what their preview has counted has not happened. */
import type { Db } from '../../../../db/connection.js';
import { recordNothingApplied } from '../chunks/atomic-chunks.js';

/**
 * Nothing was written of what these jobs have previewed: none of their rows counts as applied, and nothing as created or removed; all
 * that their files lack stays.
 * What they would have changed can still be read. The transaction has locked the jobs.
 */
export async function recordNothingWritten(trx: Db, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  await recordNothingApplied(trx, ...jobIds);
  await trx.raw(
    `UPDATE job SET created_count = 0, updated_count = 0, unchanged_count = 0, processed_count = error_count, warnings = NULL,
       options = CASE WHEN options -> 'removal' IS NULL THEN options ELSE jsonb_set(options, '{removal}', options -> 'removal'
           || jsonb_build_object('removed', 0, 'kept', options #> '{removal,missing}')) END
         - 'created' - 'archive'
     WHERE id = ANY (CAST(:jobIds AS text[]))`,
    { jobIds: [...jobIds] },
  );
}
