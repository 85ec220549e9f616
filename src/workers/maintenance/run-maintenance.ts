/** Runs maintenance periodically. Any number of processes may run it; one at a time does the work. */
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import { OverdueDeliveries, OverdueFanOuts } from '../../domain/webhooks/redispatch.js';
import { logOutage } from '../../platform/outage-log.js';
import type { WorkerServices } from '../context.js';
import { housekeep } from './housekeep.js';
import { reconcile } from './reconcile.js';

const HOUSEKEEPING_EVERY_MS = 60_000;
/** A process that writes a file writes to it every minute, or has died. The store is searched once in so long, too. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

export interface RunningMaintenance {
  /** Resolves when the current run is done. */
  stop(): Promise<void>;
}

export function runMaintenance(services: WorkerServices): RunningMaintenance {
  const { config, logger } = services;
  const overdueDeliveries = new OverdueDeliveries();
  const overdueFanOuts = new OverdueFanOuts();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let housekeepingDueAt = 0;
  let sweepDueAt = 0;
  let pass: Promise<void> = Promise.resolve();

  async function runPass(): Promise<void> {
    try {
      await asLeader(services, async (confirm) => {
        if (Date.now() >= housekeepingDueAt) {
          housekeepingDueAt = Date.now() + HOUSEKEEPING_EVERY_MS;
          // Before the reconciler: it fails while the queue is unreachable, and expired data should be deleted anyway.
          await housekeep(services);
        }
        if (Date.now() >= sweepDueAt) {
          sweepDueAt = Date.now() + ABANDONED_AFTER_MS;
          await services.fileStore.removeAbandoned(ABANDONED_AFTER_MS);
        }
        await confirm();
        await reconcile(services, overdueDeliveries, overdueFanOuts);
      });
    } catch (error) {
      logOutage(logger, 'maintenance', error, 'maintenance failed and will try again');
    }
    if (!stopped) timer = setTimeout(start, config.reconcileMs);
  }

  function start(): void {
    pass = runPass();
  }

  start();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await pass;
    },
  };
}

/**
 * The lock belongs to a transaction without other statements. The connection watch keeps it alive while this process
 * lives; if the process or its connection is lost, Postgres ends it within seconds, and another process leads.
 * @param work `confirm` throws when the lock is lost
 */
async function asLeader({ db }: WorkerServices, work: (confirm: () => Promise<void>) => Promise<void>): Promise<void> {
  await db.transaction(async (trx) => {
    const result = await trx.raw('SELECT pg_try_advisory_xact_lock(?) AS leads', [ADVISORY_LOCKS.maintenance]);
    if (result.rows[0].leads) await work(async () => trx.raw('SELECT 1'));
  });
}
