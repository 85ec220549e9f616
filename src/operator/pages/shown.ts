/** All pages by their address. */
import type { Db } from '../../../db/connection.js';
import { findAction, listActions } from '../actions.js';
import { processes, servedGroups } from '../read/fleet.js';
import { reading } from '../read/reading.js';
import { actionPage, actionsPage } from '../view/actions-page.js';
import type { Html } from '../view/html.js';
import type { Asking } from './request.js';
import { showEndpoints } from './show-endpoints.js';
import { showFleet } from './show-fleet.js';
import { showJob } from './show-job.js';
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
