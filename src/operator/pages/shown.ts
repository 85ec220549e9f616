/** All pages by their address. */
import type { Db } from '../../../db/connection.js';
import { findAction, listActions } from '../actions.js';
import { endpointsOf, sickEndpoints } from '../read/endpoints.js';
import { livingIds, processes, room, servedGroups } from '../read/fleet.js';
import { jobDetails } from '../read/job-details.js';
import { readQueue } from '../read/queue-work.js';
import { accountIdsOf, reading } from '../read/reading.js';
import { actionPage, actionsPage } from '../view/actions-page.js';
import { endpointsPage } from '../view/endpoints-page.js';
import { fleetPage } from '../view/fleet-page.js';
import type { Html } from '../view/html.js';
import { jobPage } from '../view/job-page.js';
import { freeBytesOf } from './free-bytes.js';
import type { Asking } from './request.js';
import { showNow } from './show-now.js';
import { showWork } from './show-work.js';

interface Shown {
  readonly title: string;
  readonly at: string;
  readonly content: Html;
  readonly refreshes?: boolean;
}

export const SHOWN: Readonly<Record<string, (asking: Asking) => Promise<Shown>>> = {
  '': async (asking) => ({ title: 'Now', at: '/admin', content: await showNow(asking) }),
  work: async (asking) => ({ title: 'Work', at: '/admin/work', content: await showWork(asking), refreshes: false }),
  'jobs/': async (asking) => ({ title: `Job ${asking.id}`, at: '/admin/work', content: await showJob(asking) }),
  endpoints: async (asking) => ({
    title: 'Endpoints',
    at: '/admin/endpoints',
    content: await showEndpoints(asking),
    refreshes: false,
  }),
  fleet: async (asking) => ({ title: 'Fleet', at: '/admin/fleet', content: await showFleet(asking) }),
  actions: async ({ db, now }) => ({
    title: 'Actions',
    at: '/admin/actions',
    content: actionsPage(await listActions(db, MOST_ACTIONS), now, await hasMaintenance(db)),
  }),
  'actions/': async ({ db, id, now, forms }) => ({
    title: `Action ${id}`,
    at: '/admin/actions',
    content: actionPage(await findAction(db, id), now, forms, await hasMaintenance(db)),
  }),
};

/** Whether anybody executes actions. */
async function hasMaintenance(db: Db): Promise<boolean> {
  return servedGroups(await reading(db, processes)).has('maintenance');
}

const MOST_ACTIONS = 100;

/** Reads what the page Endpoints shows: those that fail, or those of an account. */
async function showEndpoints({ db, request, now, forms }: Asking): Promise<Html> {
  const account = (request.query.get('account') ?? '').trim().slice(0, 200) || undefined;
  const list = await reading(db, async (trx) =>
    account === undefined ? sickEndpoints(trx) : endpointsOf(trx, await accountIdsOf(trx, account)),
  );
  return endpointsPage({ now, list, account, forms });
}

/** Reads what the page Fleet shows: the processes, their room, and what is kept for how long. */
async function showFleet({ db, producer, fileStore, config, now }: Asking): Promise<Html> {
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

/** Reads what the page of one job shows. */
async function showJob({ db, producer, id, now, forms }: Asking): Promise<Html> {
  const details = await reading(db, async (trx) => ({
    ...(await jobDetails(trx, id)),
    living: livingIds(await processes(trx)),
  }));
  return jobPage({ ...details, queue: await readQueue(producer, db), now, forms });
}
