/** Runs maintenance periodically. Any number of processes may run it; one at a time does the work. */
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import { SilentSessions } from '../../../db/connection-watch.js';
import { UnreferredJobs } from '../../domain/jobs/reconcile/unreferred-jobs.js';
import { OverdueDeliveries } from '../../domain/webhooks/overdue-deliveries.js';
import { OverdueFanOuts } from '../../domain/webhooks/overdue-fan-outs.js';
import { runActions } from '../../operator/run-actions.js';
import { logOutage } from '../../platform/outage-log.js';
import type { WorkerServices } from '../context.js';
import { housekeep } from './housekeep.js';
import { SystemMeter } from './measure-system.js';
import { noticeUploads } from './notice-uploads.js';
import { reconcile } from './reconcile.js';
import { rescueUnreferred } from './rescue-unreferred.js';
import { LostProcesses } from './take-over.js';
import { tendAllFeeds } from './tend-feeds.js';

const HOUSEKEEPING_EVERY_MS = 60_000;
const MEASURE_EVERY_MS = 5_000;
/** A process that writes a file writes to it every minute, or has died. The store is searched once in so long, too. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;
/** A leader whose pass comes no further for so long leads no more. */
const STUCK_MS = 60_000;

export interface RunningMaintenance {
  /** Resolves when the current run is done. */
  stop(): Promise<void>;
}

/** @param stuckMs for tests */
export function runMaintenance(services: WorkerServices, stuckMs = STUCK_MS): RunningMaintenance {
  const { config, logger } = services;
  const overdueDeliveries = new OverdueDeliveries();
  const overdueFanOuts = new OverdueFanOuts();
  const unreferred = new UnreferredJobs();
  const lostProcesses = new LostProcesses();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let housekeepingDueAt = 0;
  let sweepDueAt = 0;
  const sessions = new SilentSessions(config.databaseSilenceMs);
  const meter = new SystemMeter();
  let measureDueAt = 0;
  let pass: Promise<void> = Promise.resolve();
  /** Deletes what has expired, beside the passes: a store that hangs must not keep lost work from being found. */
  let clearing: Promise<void> | undefined;
  let acting: Promise<void> | undefined;
  /** Measures the system, beside the passes as well. */
  let measuring: Promise<void> | undefined;
  /** Looks for uploads, beside the passes as well. */
  let noticing: Promise<void> | undefined;

  async function clear(): Promise<void> {
    if (performance.now() >= housekeepingDueAt) {
      housekeepingDueAt = performance.now() + HOUSEKEEPING_EVERY_MS;
      await housekeep(services);
    }
    if (performance.now() >= sweepDueAt) {
      // What was uploaded while no maintenance ran is taken over before old uploads are removed.
      await noticing;
      await noticeUploads(services);
      sweepDueAt = performance.now() + ABANDONED_AFTER_MS;
      await services.fileStore.removeAbandoned(ABANDONED_AFTER_MS);
    }
  }

  function beginClearing(): void {
    if (stopped) return;
    clearing ??= clear()
      .catch((error: unknown) => logOutage(logger, 'housekeeping', error, 'housekeeping failed and will try again'))
      .finally(() => {
        clearing = undefined;
      });
  }

  /** What operators have asked for, beside the passes as well: it may be about thousands of jobs. */
  function beginActions(): void {
    if (stopped) return;
    acting ??= runActions(services, () => stopped)
      .catch((error: unknown) =>
        logOutage(logger, 'operator actions', error, 'an action of an operator failed and will be continued'),
      )
      .finally(() => {
        acting = undefined;
      });
  }

  function beginMeasuring(): void {
    if (stopped || performance.now() < measureDueAt) return;
    measuring ??= meter
      .measure(services, unreferred.left)
      .catch((error: unknown) => logOutage(logger, 'measuring', error, 'the system could not be measured'))
      .finally(() => {
        measureDueAt = performance.now() + MEASURE_EVERY_MS;
        measuring = undefined;
      });
  }

  function beginNoticing(): void {
    if (stopped) return;
    noticing ??= noticeUploads(services)
      .catch((error: unknown) => logOutage(logger, 'file store', error, 'uploads could not be looked for'))
      .finally(() => {
        noticing = undefined;
      });
  }

  /** It must not keep lost work from being found: the role may not be allowed to end a session. */
  async function endSilentSessions(): Promise<void> {
    try {
      const count = await sessions.end(services.db);
      if (count > 0) logger.warn({ count }, 'ended sessions of the database whose processes have stopped sending');
    } catch (error) {
      logOutage(logger, 'silent sessions', error, 'sessions whose processes have stopped sending could not be ended');
    }
  }

  async function runPass(): Promise<void> {
    const end = services.workProgress?.maintenance.begin('a pass of maintenance');
    try {
      await asLeader(services, stuckMs, async (noteProgress) => {
        const progress = () => {
          noteProgress();
          services.workProgress?.maintenance.advance();
        };
        beginNoticing();
        beginClearing();
        beginActions();
        beginMeasuring();
        await endSilentSessions();
        await lostProcesses.takeOver(services);
        progress();
        await reconcile(services, overdueDeliveries, overdueFanOuts, progress);
        await tendAllFeeds(services);
        progress();
        await rescueUnreferred(services, unreferred);
        progress();
      });
    } catch (error) {
      logOutage(logger, 'maintenance', error, 'maintenance failed and will try again');
    } finally {
      end?.();
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
      await Promise.all([clearing, acting, measuring, noticing]);
    },
  };
}

/**
 * The lock belongs to a transaction without other statements. The connection watch keeps it alive while this process
 * lives; if the process or its connection is lost, Postgres ends it within seconds, and another process leads. The same
 * happens when the work comes no further for `stuckMs`. It is not interrupted, and no other begins here before it is done:
 * what two leaders do at once is fenced.
 * @param work calls `progress` after each part
 */
async function asLeader(
  { db }: WorkerServices,
  stuckMs: number,
  work: (progress: () => void) => Promise<void>,
): Promise<void> {
  let underway: Promise<void> | undefined;
  try {
    await db.transaction(async (trx) => {
      const result = await trx.raw('SELECT pg_try_advisory_xact_lock(?) AS leads', [ADVISORY_LOCKS.maintenance]);
      if (result.rows[0].leads) await untilStuck(stuckMs, (progress) => (underway = work(progress)));
    });
  } finally {
    await underway?.catch(() => undefined);
  }
}

/** @throws Error when the work has made no progress for `stuckMs`; it goes on all the same */
async function untilStuck(stuckMs: number, work: (progress: () => void) => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the reconciler came no further for ${stuckMs} ms`)), stuckMs);
  });
  try {
    await Promise.race([work(() => timer?.refresh()), stuck]);
  } finally {
    clearTimeout(timer);
  }
}
