/** Clears away what has had its time: uploads that never came, old keys and tokens, jobs past their retention. */
import type { Knex } from 'knex';
import type { Job } from '../../../db/models/job.js';
import { keysOfAttempts } from '../../domain/exports/export-file.js';
import { spoolKey } from '../../domain/imports/plan-file-job.js';
import { emitJobEnd, endDispatches, type Hearing, WHO_HEARS } from '../../domain/jobs/emit-job-end.js';
import { announceEnd } from '../../domain/jobs/job-ended.js';
import { pruneNotifications } from '../../domain/notifications/prune-notifications.js';
import { pruneEvents } from '../../domain/webhooks/event-log.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** Rows deleted a statement, so that no lock is held for long. */
const BATCH = 500;
const DAY_MS = 86_400_000;

export async function housekeep(services: WorkerServices): Promise<void> {
  await expireUploads(services);
  const { db } = services;
  await db('idempotency_key').whereRaw("created_at < now() - interval '48 hours'").delete();
  await db('access_token').whereRaw("expires_at < now() - interval '1 day'").delete();
  const { retentionDays } = services.config.webhooks;
  await pruneNotifications(db, new Date(Date.now() - retentionDays * DAY_MS));
  await pruneEvents(db, retentionDays);
  await pruneJobs(services);
  await pruneSnapshots(db);
}

/**
 * Jobs whose file was never uploaded leave as EXPIRED; their places are nobody's, for they never were in line.
 * The job is locked before the file, as by whoever completes an upload or cancels it.
 */
async function expireUploads(services: WorkerServices): Promise<void> {
  const { db } = services;
  const expired = await db.transaction(expireBatch);
  for (const id of expired) {
    await announceEnd(db, id);
    await send(services, await endDispatches(db, id));
  }
}

/** @returns the jobs that ended */
async function expireBatch(trx: Knex.Transaction): Promise<string[]> {
  const expired = await trx.raw<{ rows: (Hearing & { id: string })[] }>(
    `WITH due AS (
       SELECT job.id, job.input_file_id FROM file JOIN job ON job.input_file_id = file.id
       WHERE file.status = 'AWAITING_UPLOAD' AND file.expires_at < now() AND job.status = 'AWAITING_UPLOAD'
       LIMIT ${BATCH} FOR UPDATE OF job SKIP LOCKED
     ), late AS (
       UPDATE file SET status = 'EXPIRED' FROM due
       WHERE file.id = due.input_file_id AND file.status = 'AWAITING_UPLOAD' AND file.expires_at < now()
       RETURNING due.id
     )
     UPDATE job SET status = 'EXPIRED', completed_at = now(), updated_at = now(), step = NULL,
       status_message = 'the file was not uploaded in time; announce it again to get a new URL'
     FROM late WHERE job.id = late.id RETURNING job.id, ${WHO_HEARS}`,
  );
  for (const { id, ...hearing } of expired.rows) await emitJobEnd(trx, id, hearing);
  return expired.rows.map(({ id }) => id);
}

async function pruneJobs({ db, fileStore, config }: WorkerServices): Promise<void> {
  const old = db('job')
    .whereRaw("completed_at < now() - ? * interval '1 day'", [config.jobRetentionDays])
    .limit(BATCH)
    .select('id', 'plan', 'kind');
  const jobs: Pick<Job, 'id' | 'plan' | 'kind'>[] = await old;
  const ids = jobs.map(({ id }) => id);
  if (ids.length === 0) return;
  const files = await db('file').whereIn('job_id', ids).select('id', 'storage_key');
  for (const { storage_key: key } of files) if (key !== null) await fileStore.remove(key);
  for (const id of ids) await fileStore.remove(spoolKey(id));
  // Those of attempts that died between the last byte and the end.
  const attempts = jobs.filter(({ kind }) => kind === 'export').flatMap((job) => keysOfAttempts(job));
  for (const key of attempts) await fileStore.remove(key);
  await db.transaction(async (trx) => {
    await trx('job').whereIn('id', ids).delete();
    await trx('file')
      .whereIn(
        'id',
        files.map((file: { id: string }) => file.id),
      )
      .delete();
  });
}

/** Snapshots that no running job goes by and that are not the present one. */
async function pruneSnapshots(db: Knex): Promise<void> {
  await db.raw(
    `DELETE FROM definition_snapshot AS kept USING site
     WHERE site.id = kept.site_id AND kept.version < site.definitions_version AND kept.created_at < now() - interval '1 hour'
       AND NOT EXISTS (SELECT 1 FROM job WHERE job.site_id = kept.site_id AND job.definitions_version = kept.version
                       AND job.completed_at IS NULL)`,
  );
}
