/** Asks before an action is done to many, and says to how many. */
import type { Db } from '../../../db/connection.js';
import { counted } from '../../domain/kernel/counted.js';
import type { RequestedAction } from '../actions/requested-action.js';
import { isOpen, isRetriable, withRetriedStatus } from '../actions/targets.js';
import { type FoundJob, findJobs, type JobFilter } from '../read/find-jobs.js';
import { reading } from '../read/reading.js';
import { confirmation, type Forms } from '../view/forms.js';
import { type Html, html } from '../view/html.js';
import { layout } from '../view/layout.js';
import type { PageServices } from './request.js';
import { soon } from './soon.js';

const MOST_COUNTED = 1_000;

export async function confirm(
  { db }: PageServices,
  requested: RequestedAction,
  forms: Forms,
  now: Date,
): Promise<string> {
  const explanation = await explain(db, requested, now);
  const content = confirmation(forms, requested.action, requested.filter, explanation);
  return layout({ title: 'Is this what you want?', at: '/admin/actions', content, now, refreshes: false });
}

const ENDPOINTS_MEANT = html`<p>It is done to each of these endpoints that is enabled. You can stop it between two endpoints.</p>`;

async function explain(db: Db, { action, filter }: RequestedAction, now: Date): Promise<Html> {
  if (action === 'cancel') return jobsMeant(db, filter, isOpen, 'have not ended', now);
  if (action === 'retry') return jobsMeant(db, withRetriedStatus(filter), isRetriable, 'can be retried', now);
  return ENDPOINTS_MEANT;
}

async function jobsMeant(
  db: Db,
  filter: JobFilter,
  isMeant: (job: FoundJob) => boolean,
  state: string,
  now: Date,
): Promise<Html> {
  const search = { direction: 'newest', after: null, until: soon(now), limit: MOST_COUNTED } as const;
  const { jobs, next } = await reading(db, (trx) => findJobs(trx, filter, search));
  const meant = jobs.filter(isMeant);
  const accounts = new Set(meant.map(({ accountId }) => accountId)).size;
  return html`<p>Now ${counted(meant.length, 'job')} of ${counted(accounts, 'account')} match and ${state}${next !== null && ', and perhaps more'}. Jobs that are accepted from now on are not meant. You can stop it between two jobs; each account sees what was done in its audit log.</p>`;
}
