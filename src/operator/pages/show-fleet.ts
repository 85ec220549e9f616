/** Reads what the page Fleet shows: the processes, their room, and what is kept for how long. */
import { processes, room } from '../read/fleet.js';
import { readQueue } from '../read/queue-work.js';
import { reading } from '../read/reading.js';
import { fleetPage } from '../view/fleet-page.js';
import type { Html } from '../view/html.js';
import { freeBytesOf } from './free-bytes.js';
import type { Asking } from './request.js';

export async function showFleet({ db, producer, fileStore, config, now }: Asking): Promise<Html> {
  const [read, queue, freeBytes] = await Promise.all([
    reading(db, async (trx) => ({ processes: await processes(trx), room: await room(trx) })),
    readQueue(producer, db),
    freeBytesOf(fileStore),
  ]);
  const retention = {
    jobDays: config.jobRetentionDays,
    eventDays: config.webhooks.retentionDays,
    auditDays: config.auditRetentionDays,
  };
  return fleetPage({ ...read, queue, freeBytes, reserveBytes: config.storageReserveBytes, retention, now });
}
