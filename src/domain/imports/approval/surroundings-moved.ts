/** What is approved of an archive is also what it would change around the catalog, which has no rows. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../../db/connection.js';
import { surroundingContent } from '../../changes/model/surrounding-image.js';
import { type SurroundingChange, surroundingChangesBy } from '../../changes/surrounding-changes.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { approvalOf } from '../../job-model/approval.js';
import type { ImportJob } from '../model/import-jobs.js';

/** The changes to which an approval of the job is bound; empty: it changes nothing around the catalog but by rows. */
export async function boundSurroundings(
  db: Db,
  { id, kind }: Pick<ImportJob, 'id' | 'kind'>,
): Promise<{ readonly surroundings?: string }> {
  return kind === 'site' ? { surroundings: digestOf(await surroundingChangesBy(db, [id], true)) } : {};
}

/** @param db the transaction in which the job has made its changes @throws RejectedInput when it was approved to change something else */
export async function requireSameSurroundings(
  db: Db,
  { id, options }: Pick<ImportJob, 'id' | 'options'>,
): Promise<void> {
  const approval = approvalOf(options);
  if (approval?.state !== 'approved' || approval.surroundings === undefined) return;
  if (approval.surroundings === digestOf(await surroundingChangesBy(db, [id]))) return;
  throw new RejectedInput(
    'CHANGED_SINCE_PREVIEW',
    'import profiles, settings or webhook definitions of this stage were changed after the preview that was approved, and nothing was written; send it again to see what it would change now',
  );
}

/** What is created gets another id when it is written. */
function digestOf(changes: readonly SurroundingChange[]): string {
  const parts = changes.map(({ kind, before, after }) =>
    JSON.stringify([kind, surroundingContent(kind, before), surroundingContent(kind, after)]),
  );
  return createHash('sha256').update(parts.sort().join('\n')).digest('base64url');
}
