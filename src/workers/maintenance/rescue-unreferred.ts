/** Repairs jobs that have not ended and that nothing refers to, and reports those that it cannot repair. */
import { unknownMigrations } from '../../../db/migrate.js';
import type { UnreferredJobs } from '../../domain/jobs/reconcile/unreferred-jobs.js';
import { send } from '../after-step.js';
import type { WorkerServices } from '../context.js';

/** @returns how many jobs it has repaired */
export async function rescueUnreferred(services: WorkerServices, jobs: UnreferredJobs): Promise<number> {
  const { db, config, logger, metrics } = services;
  // A newer release may refer to its jobs in a way that this one does not know. Its own maintenance looks after them.
  if ((await unknownMigrations(db)).length > 0) return 0;
  const { repairable, reported } = await jobs.next(db, config.reconcileGraceMs);
  let rescued = 0;
  for (const job of repairable) {
    const outboxEntries = await jobs.repair(db, job);
    if (outboxEntries === null) continue;
    rescued++;
    logger.warn(
      { jobId: job.id, missing: job.missing },
      'nothing referred to a job that has not ended: it continues now; look for processes of an older release',
    );
    await send(services, outboxEntries);
  }
  for (const jobId of reported) {
    logger.error(
      { jobId },
      'nothing refers to a job that has not ended, and it has no step: cancel it, and send it again',
    );
  }
  metrics?.rescued('unreferred', rescued);
  return rescued;
}
