/** The housekeeper of the system. Any number may run; one at a time does the work. */
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import type { WorkerServices } from '../context.js';
import { housekeep } from './housekeep.js';
import { reconcile } from './reconcile.js';

const HOUSEKEEPING_EVERY_MS = 60_000;
/** Whoever writes a file writes something every minute, or is gone; the whole store is not looked through every time. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;

export interface RunningMaintenance {
  /** Resolves when the pass in hand is done. */
  stop(): Promise<void>;
}

export function runMaintenance(services: WorkerServices): RunningMaintenance {
  const { config, logger } = services;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let housekeepingDueAt = 0;
  let sweepDueAt = 0;
  let pass: Promise<void> = Promise.resolve();

  async function runPass(): Promise<void> {
    try {
      await asLeader(services, async () => {
        if (Date.now() >= housekeepingDueAt) {
          housekeepingDueAt = Date.now() + HOUSEKEEPING_EVERY_MS;
          // First: a queue out of reach fails the reconciler, and is no reason to keep what has had its time.
          await housekeep(services);
        }
        if (Date.now() >= sweepDueAt) {
          sweepDueAt = Date.now() + ABANDONED_AFTER_MS;
          await services.fileStore.removeAbandoned(ABANDONED_AFTER_MS);
        }
        await reconcile(services);
      });
    } catch (error) {
      logger.warn({ err: error }, 'maintenance failed and will try again');
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

async function asLeader({ db }: WorkerServices, work: () => Promise<void>): Promise<void> {
  await db.transaction(async (trx) => {
    const result = await trx.raw('SELECT pg_try_advisory_xact_lock(?) AS leads', [ADVISORY_LOCKS.maintenance]);
    if (result.rows[0].leads) await work();
  });
}
