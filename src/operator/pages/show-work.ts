/** Reads what the page Work shows: the jobs that a search has found. */
import { JOB_STATUSES } from '../../../db/models/job.js';
import { JOB_TYPES } from '../../domain/job-types.js';
import { findJobs, type JobFilter } from '../read/find-jobs.js';
import { findSku } from '../read/find-sku.js';
import { reading } from '../read/reading.js';
import type { Html } from '../view/html.js';
import { type Asked, SEARCHES, workPage } from '../view/work-page.js';
import type { Asking } from './request.js';
import { soon } from './soon.js';

const JOBS_A_PAGE = 50;
const TYPES = [...new Set(Object.values(JOB_TYPES).flatMap(({ names }) => names))].sort();

export async function showWork({ db, request, forms, now }: Asking): Promise<Html> {
  const { query } = request;
  const asked = askedBy(query);
  const filter = filterOf(asked);
  const bySku = asked.by === 'sku' && asked.q !== '';
  const { jobs, next, examined, sku } = await reading(db, async (trx) => {
    if (bySku) return { ...NOTHING_FOUND, sku: await findSku(trx, asked.q, asked.account || undefined) };
    const search = { direction: 'newest', after: query.get('after'), until: soon(now), limit: JOBS_A_PAGE } as const;
    return { ...(await findJobs(trx, filter, search)), sku: null };
  });
  const older = new URLSearchParams([...query].filter(([name]) => name !== 'after'));
  if (next !== null) older.set('after', next);
  const nextAddress = next === null ? null : `/admin/work?${older}`;
  return workPage({
    now,
    asked,
    statuses: JOB_STATUSES,
    types: TYPES,
    filter,
    jobs,
    nextAddress,
    examined,
    sku,
    forms,
  });
}

const NOTHING_FOUND = { jobs: [], next: null, examined: 0 } as const;

function askedBy(query: URLSearchParams): Asked {
  const text = (name: string) => (query.get(name) ?? '').trim().slice(0, 300);
  const by = text('by');
  return {
    by: isSearch(by) ? by : 'job',
    q: text('q'),
    account: text('account'),
    status: text('status'),
    type: text('type'),
  };
}

function isSearch(text: string): text is keyof typeof SEARCHES {
  return Object.hasOwn(SEARCHES, text);
}

function filterOf({ by, q, account, status, type }: Asked): JobFilter {
  const chosen = { account, status, type, ...(q === '' || by === 'sku' ? {} : { [by]: q }) };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== ''));
}
