/** Deletes what has expired: keys, tokens, notifications, events, jobs and snapshots; and ends jobs whose time is over. */
import { pruneHeartbeats } from '../../../db/heartbeats.js';
import { pruneSnapshotsOfProcesses } from '../../../db/process-snapshots.js';
import { pruneIdempotencyKeys } from '../../domain/access/accept-once.js';
import { pruneAudit } from '../../domain/access/audit.js';
import { pruneLoginCodes } from '../../domain/access/login-codes.js';
import { pruneSessions } from '../../domain/access/sessions.js';
import { pruneTokens } from '../../domain/access/tokens.js';
import { pruneSnapshots } from '../../domain/catalog/prune-snapshots.js';
import { createPartitions, dropPartitions, oldestKept } from '../../domain/changes/partitions.js';
import { pruneSurroundingChanges } from '../../domain/changes/surrounding-changes.js';
import { pruneFeedRuns } from '../../domain/feeds/due-feeds.js';
import { pruneParts } from '../../domain/files/file-parts.js';
import { findRejectedFiles, noteDeleted } from '../../domain/files/rejected-files.js';
import { pruneDeletedItems } from '../../domain/imports/prune-deleted-items.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { expireJobs } from '../../domain/jobs/reconcile/expire-jobs.js';
import { pruneJobs, pruneSuspects } from '../../domain/jobs/reconcile/prune-jobs.js';
import { pruneNotifications } from '../../domain/notifications/prune-notifications.js';
import { pruneViews } from '../../domain/settings/saved-views.js';
import { pruneEvents } from '../../domain/webhooks/prune-events.js';
import { endCollecting } from '../../domain/webhooks/release-collected.js';
import { pruneActions } from '../../operator/actions.js';
import { afterEnd } from '../after-step.js';
import type { WorkerServices } from '../context.js';

const DAY_MS = 86_400_000;

export async function housekeep(services: WorkerServices): Promise<void> {
  await endExpired(services);
  const { db } = services;
  const now = new Date();
  await pruneIdempotencyKeys(db, now);
  await pruneTokens(db, now);
  await pruneSessions(db, now);
  await pruneLoginCodes(db, now);
  await pruneAudit(db, services.config.auditRetentionDays);
  await pruneActions(db, services.config.auditRetentionDays);
  const { retentionDays } = services.config.webhooks;
  await pruneNotifications(db, new Date(now.getTime() - retentionDays * DAY_MS));
  await pruneEvents(db, retentionDays);
  await endCollecting(db);
  await pruneSnapshots(db, now);
  await pruneHeartbeats(db);
  await pruneSnapshotsOfProcesses(db);
  await pruneSuspects(db);
  await pruneDeletedItems(db, services.config.jobRetentionDays);
  await pruneViews(db);
  await pruneFeedRuns(db);
  await pruneSurroundingChanges(db, await oldestKept(db));
  // At last: they need the file store, which may be away.
  await pruneRejected(services);
  await pruneParts(services);
  await pruneJobs(services, JOB_TYPES, services.config.jobRetentionDays, await oldestKept(db));
  await renewPartitions(services);
}

/** Ends jobs as EXPIRED whose file was never uploaded, was held and never imported, or that were never approved. */
async function endExpired(services: WorkerServices): Promise<void> {
  const { db, config } = services;
  for (const awaiting of ['upload', 'profile', 'approval'] as const)
    for (const id of await expireJobs(db, awaiting, config.approvalHours)) await afterEnd(services, id);
}

/** Deletes the bytes of rejected files, and the copies of them that their jobs have made. */
async function pruneRejected({ db, fileStore }: WorkerServices): Promise<void> {
  const files = await findRejectedFiles(db);
  for (const { storageKey, job } of files) {
    for (const key of [storageKey, ...(JOB_TYPES[job.kind]?.storedKeys(job) ?? [])]) await fileStore.remove(key);
  }
  if (files.length > 0)
    await noteDeleted(
      db,
      files.map(({ id }) => id),
    );
}

/** Keeps partitions of the change log ready, and drops old ones. That waits for long transactions, so nothing comes after it. */
async function renewPartitions({ db, config, logger }: WorkerServices): Promise<void> {
  const now = new Date();
  await createPartitions(db, now);
  const dropped = await dropPartitions(db, now, config.changeRetentionDays);
  if (dropped.length > 0) logger.info({ dropped }, 'dropped old months of the change log');
}
