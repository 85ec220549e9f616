/** The page Now: is anything wrong, what waits, who uses the workers, what has failed. */

import { counted } from '../../domain/kernel/counted.js';
import type { AwaitingJob } from '../read/approvals.js';
import type { EndpointList } from '../read/endpoints.js';
import { livingIds, type Process, type Room, servedGroups } from '../read/fleet.js';
import type { Load } from '../read/load.js';
import type { LockWait } from '../read/locks.js';
import type { FailedReason, WaitingJob } from '../read/now.js';
import { isHeld, type OwnedWork, type QueueView } from '../read/queue-work.js';
import type { Trends } from '../read/trends.js';
import { approvalTable } from './approval-section.js';
import { endpointTable, NONE_FAILS } from './endpoints-page.js';
import { connectionsLine, processSummary } from './fleet-page.js';
import { type Html, html } from './html.js';
import { ago, bytes, duration, jobLink, ownerLink, pill, table } from './layout.js';
import { arrival, emptyTimes, type LoadView, unservedGroups, wanted } from './load-sections.js';
import { stuckFor, stuckOn } from './lock-sentence.js';
import { connectionsOfDay, databaseOfDay, keepingUp, runningOut, sinceDeploy } from './trend-sections.js';

/** A part of the system, as readiness has found it. */
interface PartState {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly message?: string | undefined;
  readonly cure?: string | undefined;
}

type Parts = Readonly<Record<string, PartState>>;

export interface NowView {
  readonly now: Date;
  readonly parts: Parts;
  /** Null: the database does not answer. */
  readonly database: {
    readonly waiting: readonly WaitingJob[];
    readonly partly: boolean;
    readonly unapproved: readonly AwaitingJob[];
    readonly failed: readonly FailedReason[];
    readonly sick: EndpointList;
    readonly processes: readonly Process[];
    readonly room: Room;
    readonly trends: Trends;
    readonly lockWait: LockWait | null;
  } | null;
  /** Null: the queue does not answer. */
  readonly queue: QueueView | null;
  /** What was measured last; null: nobody has measured the system yet. */
  readonly load: Load | null;
  readonly storage: { readonly freeBytes: number | null; readonly reserveBytes: number };
}

const NO_DATABASE = html`<p class="none">Not known, because the database does not answer.</p>`;
const NO_QUEUE = html`<p class="none">Not known, because the queue does not answer.</p>`;

export function nowPage(view: NowView): Html {
  const { database, now } = view;
  const load = loadOf(view);
  return html`
<section id="wrong"><h2>Is anything wrong?</h2>${wrong(view)}</section>
<section id="waits"><h2>What waits longest, and whose is it?</h2>${waits(view)}</section>
<section id="approvals"><h2>What waits for an approval?</h2>${database === null ? NO_DATABASE : approvalTable(database.unapproved, now)}</section>
<div class="grid">
<section id="arrival"><h2>Does work arrive faster than it is done?</h2>${arrival(load)}</section>
<section id="empty"><h2>When will the queues be empty?</h2>${emptyTimes(load)}</section>
<section id="wanted"><h2>How many workers are wanted, and why no more?</h2>${wanted(load)}</section>
</div>
${trendSections(view)}
<section id="slots"><h2>Who uses the workers?</h2>${view.queue === null ? NO_QUEUE : slots(view.queue, view)}</section>
<section id="failed"><h2>Which jobs have failed, and why?</h2>${database === null ? NO_DATABASE : failed(database.failed, now)}</section>
<section id="endpoints"><h2>Which endpoints do not work?</h2>${database === null ? NO_DATABASE : endpointTable(database.sick, now, NONE_FAILS)}</section>
<div class="grid">
<section id="processes"><h2>Which processes run?</h2>${database === null ? NO_DATABASE : processSummary(database.processes)}</section>
<section id="room"><h2>Is there room?</h2>${room(view)}</section>
</div>`;
}

function trendSections({ database, storage, now }: NowView): Html {
  const trend = database === null ? null : { now, trends: database.trends, ...storage };
  return html`<div class="grid">
<section id="keeping-up"><h2>Have workers kept up today?</h2>${trend === null ? NO_DATABASE : keepingUp(trend)}</section>
<section id="deploy"><h2>What has the last deploy changed?</h2>${trend === null ? NO_DATABASE : sinceDeploy(trend)}</section>
<section id="runs-out"><h2>What runs out next?</h2>${trend === null ? NO_DATABASE : runningOut(trend)}</section>
<section id="connections"><h2>Were connections scarce today?</h2>${trend === null ? NO_DATABASE : connectionsOfDay(trend)}</section>
<section id="database"><h2>How fast does the database grow?</h2>${trend === null ? NO_DATABASE : databaseOfDay(trend)}</section>
</div>`;
}

function loadOf({ database, queue, load, now }: NowView): LoadView {
  const waiting = new Map<string, number>();
  const note = (group: string, ms: number) => waiting.set(group, Math.max(ms, waiting.get(group) ?? 0));
  for (const { group, since } of queue?.waiting ?? []) if (since <= now) note(group, now.getTime() - since.getTime());
  // Jobs that are held wait for those before them.
  for (const { state, createdAt } of database?.waiting ?? [])
    note('bulk', state === 'q' ? now.getTime() - createdAt.getTime() : 0);
  const served = database === null ? null : servedGroups(database.processes);
  return { load, served, waiting, stuckMs: database === null ? null : stuckFor(database.lockWait, now) };
}

function brokenOf(parts: Parts): [name: string, PartState][] {
  return Object.entries(parts).filter(([, { status }]) => status !== 'ok');
}

/** What does not work, and what to do; without parts that work. */
export function brokenParts(parts: Parts): readonly Html[] {
  return brokenOf(parts).map(
    ([name, { status, message, cure }]) =>
      html`<li>${pill(status, status === 'down' ? 'bad' : 'busy')} <strong>${name}</strong>: ${message}. <em>What to do: ${cure}.</em></li>`,
  );
}

function wrong({ parts, database, now }: NowView): Html {
  const broken = brokenOf(parts);
  const lastFailed = database?.failed.map(({ lastAt }) => lastAt).sort((a, b) => b.getTime() - a.getTime())[0];
  const failures = database?.failed.reduce((sum, { jobs }) => sum + jobs, 0) ?? 0;
  const sick = database?.sick.endpoints.length ?? 0;
  const lost = database?.processes.filter((process) => process.lost).length ?? 0;
  // Readiness has looked a moment ago, and these processes are read now.
  const unserved =
    parts.workers?.status === 'ok' && database !== null ? unservedGroups(servedGroups(database.processes)) : [];
  const stuck = database === null ? null : stuckOn(database.lockWait, now);
  const notes = [
    ...(stuck === null ? [] : [html`<li>${pill('locks', 'busy')} ${stuck}</li>`]),
    ...(unserved.length > 0
      ? [html`<li>${pill('workers', 'busy')} No process serves ${unserved.join(', ')}; this work waits.</li>`]
      : []),
    ...(failures > 0 && lastFailed !== undefined
      ? [
          html`<li>${pill('failed', 'bad')} <a href="#failed">${counted(failures, 'failed job')}</a> within a day, the last ${ago(lastFailed, now)}.</li>`,
        ]
      : []),
    ...(sick > 0
      ? [
          html`<li>${pill('endpoints', 'busy')} <a href="#endpoints">${counted(sick, 'endpoint')}</a> not working: attempts fail, a circuit breaker is open, or it was disabled.</li>`,
        ]
      : []),
    ...(lost > 0
      ? [
          html`<li>${pill('processes', 'busy')} <a href="#processes">${counted(lost, 'lost process')}</a> within a day: killed, or cut off from the database.</li>`,
        ]
      : []),
  ];
  if (broken.length === 0 && notes.length === 0) {
    return html`<p class="answer">${pill('no', 'good')} Everything works.</p>`;
  }
  return html`<p class="answer">${pill('yes', broken.some(([, { status }]) => status === 'down') ? 'bad' : 'busy')} ${counted(broken.length + notes.length, 'thing')} to look at.</p>
<ul class="plain">${brokenParts(parts)}${notes}</ul>`;
}

const MOST_WAITS = 10;

function waits({ database, queue, now }: NowView): Html {
  const inOrder = (database?.waiting ?? []).map((job) => ({
    since: job.createdAt,
    cells: [
      ago(job.createdAt, now),
      html`${job.type.replaceAll('_', ' ').toLowerCase()} ${jobLink(job.jobId)}`,
      ownerLink(job),
      job.state === 'h' ? 'behind earlier jobs of its stage' : 'for a worker of the group bulk',
    ],
  }));
  const onQueue = (queue?.waiting ?? [])
    .filter(({ since }) => since <= now)
    .map((work) => ({
      since: work.since,
      cells: [ago(work.since, now), subject(work), ownerOf(work), `for a worker of the group ${work.group}`],
    }));
  const rows = [...inOrder, ...onQueue].sort((a, b) => a.since.getTime() - b.since.getTime()).slice(0, MOST_WAITS);
  return html`${table(
    'What waits longest',
    ['Accepted or due', 'What', 'Whose', 'It waits'],
    rows.map(({ cells }) => cells),
    database === null && queue === null
      ? 'Not known, because neither the database nor the queue answers.'
      : 'Nothing waits.',
  )}${database?.partly === true && html`<p class="dim">The first 5,000 stages with jobs were asked.</p>`}`;
}

function subject({ queue, jobIds }: OwnedWork): Html {
  const [first] = jobIds;
  if (first === undefined) return html`${queue}`;
  return html`${queue} ${jobLink(first)}${jobIds.length > 1 && html` and ${jobIds.length - 1} more`}`;
}

function ownerOf({ owner }: OwnedWork): Html {
  return owner === null ? html`<span class="dim">ended meanwhile</span>` : ownerLink(owner);
}

interface Share {
  readonly work: OwnedWork;
  count: number;
  since: Date;
}

/** By account and queue, those that use most first; without what processes have left behind that are lost. */
function slots(queue: QueueView, { database, now }: NowView): Html {
  const living = database === null ? null : livingIds(database.processes);
  const running = queue.running.filter(({ processId }) => isHeld(processId, living));
  const left = queue.running.length - running.length;
  const shares = new Map<string, Share>();
  for (const work of running) {
    const key = JSON.stringify([work.owner?.accountId, work.owner?.stage, work.queue]);
    const share = shares.get(key) ?? { work, count: 0, since: work.since };
    share.count++;
    if (work.since < share.since) share.since = work.since;
    shares.set(key, share);
  }
  const sorted = [...shares.values()].sort((a, b) => b.count - a.count);
  const rows = sorted
    .slice(0, MOST_WAITS)
    .map(({ work, count, since }) => [
      `${Math.round((100 * count) / running.length)} %`,
      count,
      ownerOf(work),
      work.queue,
      html`<time datetime="${since.toISOString()}">${duration(now.getTime() - since.getTime())}</time>`,
    ]);
  return html`<p>Running now: ${counted(running.length, 'step')}${queue.more && ' or more'}.</p>${
    left > 0 &&
    html`<p>${pill('left behind', 'busy')} ${counted(left, 'step')} of processes that are gone: another worker of the group takes ${left === 1 ? 'it' : 'them'} over.</p>`
  }${table('Who uses the workers', ['Share', 'Steps', 'Whose', 'Queue', 'Longest for'], rows, 'No step runs.')}`;
}

function failed(reasons: readonly FailedReason[], now: Date): Html {
  return table(
    'Failed jobs within a day, by reason',
    ['Reason', 'Jobs', 'Accounts', 'Last', 'More'],
    reasons.map(({ reason, jobs, accounts, lastAt }) => [
      html`<strong>${reason}</strong>`,
      jobs,
      accounts,
      ago(lastAt, now),
      html`<a href="/admin/work?status=FAILED&amp;by=code&amp;q=${encodeURIComponent(reason)}">show the jobs<span class="skip"> that failed with ${reason}</span></a>`,
    ]),
    'No job has failed within a day.',
  );
}

function room({ database, storage }: NowView): Html {
  const { freeBytes, reserveBytes } = storage;
  const isFull = freeBytes !== null && freeBytes < reserveBytes;
  return html`<ul class="plain">
<li>${database === null ? 'Connections to Postgres: not known.' : connectionsLine(database.room)}</li>
<li>${
    freeBytes === null
      ? html`${pill('not known', 'busy')} The file store does not say how much space is free.`
      : html`${pill(isFull ? 'full' : 'room', isFull ? 'bad' : 'good')} The file store has ${bytes(freeBytes)} free; ${bytes(reserveBytes)} are its reserve.`
  }</li>
${database !== null && html`<li>The database has ${bytes(database.room.databaseBytes)}. <a href="/admin/fleet">More</a></li>`}
</ul>`;
}
