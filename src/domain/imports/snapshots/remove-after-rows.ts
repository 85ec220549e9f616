/** The step of a job with a snapshot that follows its last chunk: it removes what the file lacks, once, in one transaction. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import type { WholeEnd } from '../../jobs/apply-whole.js';
import type { ImportJob } from '../model/import-jobs.js';
import { orRefusal } from '../pipeline/or-refusal.js';
import { inputOf } from './brake.js';
import { brakeMessage, removalMessage, SNAPSHOT_BRAKE, waitingMessage } from './removal-end.js';
import type { ItemJob } from './remove-all.js';
import { type Removal, removeMissing } from './remove-missing.js';

export async function removeAfterRows(
  trx: Knex.Transaction,
  db: Db,
  job: ItemJob,
  signal: AbortSignal,
): Promise<WholeEnd> {
  const removing = { db, job, version: job.definitions_version ?? 0, signal };
  const removal = await orRefusal(() => removeMissing(trx, removing));
  const outboxEntries = removal !== undefined && 'outboxEntries' in removal ? removal.outboxEntries : [];
  return { stays: true, note: noteOf(job, removal), outboxEntries, counts: null };
}

/** What the end of the job is to say of it; undefined: nothing. */
export function noteOf(job: ImportJob, removal: Removal | RejectedInput | undefined): WholeEnd['note'] {
  if (removal === undefined || job.kind !== 'item' || job.options.snapshot === undefined) return undefined;
  if (removal instanceof RejectedInput) return { reason: removal.reason, message: removal.message };
  const { report, scopeKey, brake } = removal;
  const input = inputOf(job);
  const isStopped = report.stopped && brake !== null && !job.isDryRun;
  if (removal.waits !== undefined) {
    const options = { removal: report, scopeKey, approval: removal.waits };
    return { reason: SNAPSHOT_BRAKE, message: waitingMessage(removal, job.id), options };
  }
  const message = isStopped
    ? brakeMessage(brake, job.isAtomic, input, job.actor)
    : removalMessage(removal, job.options.snapshot, job.isDryRun, input);
  return {
    reason: isStopped ? SNAPSHOT_BRAKE : undefined,
    message: message ?? null,
    options: { removal: report, scopeKey },
  };
}
