/** Reads what the page Now shows. What cannot be read is missing on it. */
import type { Db } from '../../../db/connection.js';
import { awaitingApproval } from '../read/approvals.js';
import { sickEndpoints } from '../read/endpoints.js';
import { processes, room } from '../read/fleet.js';
import { readLoad } from '../read/load.js';
import { longestLockWait } from '../read/locks.js';
import { failedByReason, longestWaiting } from '../read/now.js';
import { readQueue } from '../read/queue-work.js';
import { reading } from '../read/reading.js';
import { trends } from '../read/trends.js';
import type { Html } from '../view/html.js';
import { type NowView, nowPage } from '../view/now-page.js';
import { freeBytesOf } from './free-bytes.js';
import type { Asking } from './request.js';

export async function showNow({ db, logger, producer, fileStore, readiness, config, now }: Asking): Promise<Html> {
  const [{ parts }, database, queue, load, freeBytes] = await Promise.all([
    readiness.report(),
    readDatabase(db, now).catch((error: unknown) => {
      logger.warn({ err: error }, 'the page for operators could not read the database');
      return null;
    }),
    readQueue(producer, db).catch(() => null),
    readLoad(db).catch(() => null),
    freeBytesOf(fileStore),
  ]);
  const storage = { freeBytes, reserveBytes: config.storageReserveBytes };
  return nowPage({ now, parts, database, queue, load, storage });
}

function readDatabase(db: Db, now: Date): Promise<NonNullable<NowView['database']>> {
  return reading(db, async (trx) => {
    const { jobs: waiting, partly } = await longestWaiting(trx);
    const unapproved = await awaitingApproval(trx);
    const failed = await failedByReason(trx);
    const sick = await sickEndpoints(trx);
    const [running, left, day] = [await processes(trx), await room(trx), await trends(trx, now)];
    const lockWait = await longestLockWait(trx);
    return { waiting, partly, unapproved, failed, sick, processes: running, room: left, trends: day, lockWait };
  });
}
