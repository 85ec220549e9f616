/**
 * The pages for operators: answers requests that the API has authorized. They are read without JavaScript, load nothing
 * from another host, and say what is not known instead of guessing it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import type { Actor } from '../domain/access/audit.js';
import { JOB_TYPES } from '../domain/job-types.js';
import { DomainError } from '../domain/kernel/errors.js';
import { within } from '../platform/concurrency/within.js';
import type { FileStore } from '../platform/file-store.js';
import type { Logger } from '../platform/logger.js';
import type { Producer } from '../queues/producer.js';
import {
  findAction,
  isOpen,
  isRetriable,
  listActions,
  type RequestedAction,
  requestAction,
  requestedAction,
  stopAction,
  withRetriedStatus,
} from './actions.js';
import { endpointsOf, sickEndpoints } from './read/endpoints.js';
import { type FoundJob, findJobs, type JobFilter } from './read/find-jobs.js';
import { findSku } from './read/find-sku.js';
import { livingIds, processes, room, servedGroups } from './read/fleet.js';
import { jobDetails } from './read/job-details.js';
import { readLoad } from './read/load.js';
import { longestLockWait } from './read/locks.js';
import { failedByReason, longestWaiting } from './read/now.js';
import { readQueue } from './read/queue-work.js';
import { accountIdsOf, reading } from './read/reading.js';
import { trends } from './read/trends.js';
import { actionPage, actionsPage } from './view/actions-page.js';
import { endpointsPage } from './view/endpoints-page.js';
import { fleetPage } from './view/fleet-page.js';
import { confirmation, type Forms } from './view/forms.js';
import { type Html, html } from './view/html.js';
import { jobPage } from './view/job-page.js';
import { counted, layout } from './view/layout.js';
import { brokenParts, type NowView, nowPage } from './view/now-page.js';
import { STYLE } from './view/style.js';
import { type Asked, SEARCHES, workPage } from './view/work-page.js';

export interface PageServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** What works, as checked in the background. */
  readonly readiness: { report(): Promise<{ readonly parts: NowView['parts'] }> };
}

interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of a form that was sent. */
  readonly form: Readonly<Record<string, string>>;
  /** The operator. */
  readonly actor: Actor;
}

interface PageAnswer {
  readonly status: number;
  readonly type: 'text/html' | 'text/css';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Nothing but our own style, and forms that lead to our own pages; no script at all. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const OWN = /^\/admin(?:\/|\/(?:work|endpoints|fleet|actions|style\.css|jobs\/[^/]+|actions\/[^/]+(?:\/stop)?))?$/;

/** Whether an address belongs to these pages. */
export function isOperatorPage(path: string): boolean {
  return OWN.test(path);
}

/** @throws DomainError for what cannot be shown or done; the caller presents it with `errorPage` */
export async function answerPage(services: PageServices, request: PageRequest): Promise<PageAnswer> {
  const { method, path } = request;
  if (path === '/admin/style.css') {
    return { ...page(200, ''), type: 'text/css', body: STYLE, headers: { 'Cache-Control': 'max-age=300' } };
  }
  const now = new Date();
  const forms: Forms = { token: formTokens(services.config, request.actor, now)[0] ?? '' };
  if (method === 'POST') return change(services, request, forms, now);
  const [, , section = '', id = ''] = path.split('/');
  const show = SHOWN[id === '' ? section : `${section}/`];
  if (show === undefined) throw new DomainError('not-found', 'PAGE_NOT_FOUND', 'there is no such page');
  const { title, at, content, refreshes } = await show({ ...services, request, forms, now, id });
  const refresh = Number(request.query.get('refresh') ?? '');
  const again = refresh >= 1 && refresh <= 3_600 ? { Refresh: String(Math.floor(refresh)) } : {};
  return page(200, layout({ title, at, content, now, ...(refreshes === undefined ? {} : { refreshes }) }), again);
}

/** The page of an error. */
export function errorPage(status: number, message: string): PageAnswer {
  const content = html`<section><p class="answer">${message}.</p><p><a href="/admin">Back to Now</a></p></section>`;
  return page(status, layout({ title: `Not done (${status})`, at: '', content, now: new Date(), refreshes: false }));
}

/**
 * The page while a part is down without which nobody can be authorized. It shows what /readyz shows to everybody.
 * @returns null: no part is down
 */
export function outagePage(parts: NowView['parts']): PageAnswer | null {
  if (!Object.values(parts).some(({ status }) => status === 'down')) return null;
  const content = html`<section id="wrong"><h2>Is anything wrong?</h2><ul class="plain">${brokenParts(parts)}</ul></section>`;
  return page(503, layout({ title: 'Now', at: '/admin', content, now: new Date() }), { 'Retry-After': '2' });
}

function page(status: number, body: string, headers: Readonly<Record<string, string>> = {}): PageAnswer {
  return {
    status,
    type: 'text/html',
    body,
    headers: {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      // With `no-referrer`, browsers do not say from which page a form was sent.
      'Referrer-Policy': 'same-origin',
      ...headers,
    },
  };
}

function seeOther(location: string): PageAnswer {
  return page(303, '', { Location: location });
}

// The pages

interface Shown {
  readonly title: string;
  readonly at: string;
  readonly content: Html;
  readonly refreshes?: boolean;
}

interface Asking extends PageServices {
  readonly request: PageRequest;
  readonly forms: Forms;
  readonly now: Date;
  readonly id: string;
}

const SHOWN: Readonly<Record<string, (asking: Asking) => Promise<Shown>>> = {
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
/** What the page does not wait longer for. */
const PATIENCE_MS = 2_000;

async function showNow({ db, logger, producer, fileStore, readiness, config, now }: Asking): Promise<Html> {
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
    const failed = await failedByReason(trx);
    const sick = await sickEndpoints(trx);
    const [running, left, day] = [await processes(trx), await room(trx), await trends(trx, now)];
    const lockWait = await longestLockWait(trx);
    return { waiting, partly, failed, sick, processes: running, room: left, trends: day, lockWait };
  });
}

/** Null: the store does not answer in time, or does not know. */
async function freeBytesOf(fileStore: FileStore): Promise<number | null> {
  const free = fileStore.freeBytes().catch(() => null);
  const known = (await within(free, PATIENCE_MS)) ? await free : null;
  return known !== null && Number.isFinite(known) ? known : null;
}

const JOBS_A_PAGE = 50;
const TYPES = [...new Set(Object.values(JOB_TYPES).flatMap(({ names }) => names))].sort();
const STATUSES = [
  ...['AWAITING_UPLOAD', 'SCHEDULED', 'IN_PROGRESS', 'CANCELLATION_IN_PROGRESS', 'COMPLETED', 'COMPLETED_PARTIALLY'],
  ...['REJECTED', 'FAILED', 'CANCELLED', 'EXPIRED'],
];

async function showWork({ db, request, forms, now }: Asking): Promise<Html> {
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
  return workPage({ now, asked, statuses: STATUSES, types: TYPES, filter, jobs, nextAddress, examined, sku, forms });
}

/** The clock of the database may be ahead of ours. */
function soon(now: Date): Date {
  return new Date(now.getTime() + HOUR_MS);
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

async function showJob({ db, producer, id, now, forms }: Asking): Promise<Html> {
  const details = await reading(db, async (trx) => ({
    ...(await jobDetails(trx, id)),
    living: livingIds(await processes(trx)),
  }));
  return jobPage({ ...details, queue: await readQueue(producer, db), now, forms });
}

async function showEndpoints({ db, request, now, forms }: Asking): Promise<Html> {
  const account = (request.query.get('account') ?? '').trim().slice(0, 200) || undefined;
  const list = await reading(db, async (trx) =>
    account === undefined ? sickEndpoints(trx) : endpointsOf(trx, await accountIdsOf(trx, account)),
  );
  return endpointsPage({ now, list, account, forms });
}

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

// What operators change

/** @throws DomainError forbidden without the token of one of our pages, invalid */
async function change(services: PageServices, request: PageRequest, forms: Forms, now: Date): Promise<PageAnswer> {
  const { token = '', confirmed, action, ...fields } = request.form;
  if (!formTokens(services.config, request.actor, now).some((known) => isSame(known, token))) {
    const message = 'this form is too old, or does not come from one of these pages; open the page again';
    throw new DomainError('forbidden', 'FORM_TOKEN', message);
  }
  const [, , section, id, verb] = request.path.split('/');
  if (section !== 'actions') throw new DomainError('not-found', 'PAGE_NOT_FOUND', 'nothing can be sent to this page');
  if (id !== undefined && verb === 'stop') {
    await stopAction(services.db, id, request.actor);
    return seeOther(`/admin/actions/${id}`);
  }
  const parsed = requestedAction.safeParse({ action, filter: fields });
  if (id !== undefined || !parsed.success) {
    throw new DomainError('invalid', 'ACTION', 'there is no such action, or what it is to be done to is not clear');
  }
  const isOfOne = 'job' in fields || 'endpoint' in fields;
  if (!isOfOne && confirmed !== 'yes') return page(200, await confirm(services, parsed.data, forms, now));
  const started = await requestAction(services.db, parsed.data, request.actor);
  return seeOther(`/admin/actions/${started}?refresh=2`);
}

const MOST_COUNTED = 1_000;

async function confirm({ db }: PageServices, requested: RequestedAction, forms: Forms, now: Date): Promise<string> {
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

// Tokens of forms: a browser sends the password of Basic with requests of any page.

const TOKEN_HOURS = 12;
const HOUR_MS = 3_600_000;

/** The tokens that are accepted; forms are given the first. One is valid for 12 to 24 hours, for one operator. */
function formTokens({ secretsKeys }: Config, { id }: Actor, now: Date): readonly string[] {
  const period = Math.floor(now.getTime() / (TOKEN_HOURS * HOUR_MS));
  return [period, period - 1].flatMap((at) =>
    secretsKeys.map((key) => createHmac('sha256', key).update(`operator form ${id} ${at}`).digest('base64url')),
  );
}

function isSame(known: string, sent: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
