/** A day's plot each: do workers keep up, what has the deploy changed, what runs out next. SVG within the page, without a script. */

import { counted } from '../../domain/kernel/counted.js';
import type { Hour, Trends } from '../read/trends.js';
import { type Html, html } from './html.js';
import { bytes, duration, pill } from './layout.js';

interface TrendView {
  readonly now: Date;
  readonly trends: Trends;
  readonly freeBytes: number | null;
  readonly reserveBytes: number;
}

const WIDTH = 600;
const HEIGHT = 110;
const TOP = 14;
const BASE = HEIGHT - 18;
/** One hour in six is named below a plot. */
const NAMED_HOURS = 6;

interface Plot {
  /** What the plot shows, for those who do not see it. */
  readonly title: string;
  readonly hours: readonly Hour[];
  readonly deploys: Trends['deploys'];
  /** The height of the bar of an hour; null: nothing happened in it. */
  readonly value: (hour: Hour) => number | null;
  readonly text: (value: number) => string;
  /** What the plot is as high as. Default: its highest bar. */
  readonly ceiling?: number | null;
}

/** A bar for each hour, with its value as a title, and a line where a version began. */
function plot({ title, hours, deploys, value, text, ceiling = null }: Plot): Html {
  const values = hours.map(value);
  const highest = Math.max(...values.map((one) => one ?? 0));
  const most = Math.max(highest, ceiling ?? 0);
  const step = WIDTH / hours.length;
  const bars = hours.map(({ from }, nth) => {
    const one = values[nth] ?? null;
    if (one === null || most === 0) return null;
    const height = Math.max(one === 0 ? 0 : 1.5, ((BASE - TOP) * one) / most);
    return html`<rect x="${(nth * step + 1).toFixed(1)}" y="${(BASE - height).toFixed(1)}" width="${(step - 2).toFixed(1)}" height="${height.toFixed(1)}"><title>${clock(from)} UTC: ${text(one)}</title></rect>`;
  });
  const begun = hours[0]?.from.getTime() ?? 0;
  const lines = deploys.map(({ version, at }) => {
    const x = Math.min(WIDTH - 1, (step * (at.getTime() - begun)) / 3_600_000).toFixed(1);
    return html`<line class="deploy" x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${BASE}"><title>${clock(at)} UTC: version ${version} began</title></line>`;
  });
  const labels = hours.map(({ from }, nth) =>
    nth % NAMED_HOURS === 0 && nth < hours.length - 1
      ? html`<text x="${(nth * step + 1).toFixed(1)}" y="${HEIGHT - 4}">${clock(from)}</text>`
      : null,
  );
  return html`<svg class="trend" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}"><title>${title}</title>
<line class="base" x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}"></line>${bars}${lines}${labels}</svg>
<p class="dim">The highest hour: ${text(highest)}.${ceiling !== null && html` The plot is as high as ${text(ceiling)}.`} Hours in UTC${deploys.length > 0 && html`; a dashed line is where a version began`}.</p>`;
}

function clock(at: Date): string {
  return at.toISOString().slice(11, 16);
}

const NO_JOBS = html`<p class="none">No job was accepted within a day.</p>`;

export function keepingUp({ trends: { hours, deploys } }: TrendView): Html {
  const busy = hours.filter(({ waited }) => waited !== null);
  const last = busy.at(-1);
  if (last === undefined) return NO_JOBS;
  const seconds = (value: number) => (value < 1 ? `${Math.round(1_000 * value)} ms` : duration(1_000 * value));
  const earlier = [...busy.slice(0, -1).map(({ waited }) => waited ?? 0)].sort((a, b) => a - b);
  const usual = earlier[Math.floor(earlier.length / 2)];
  const compared = usual === undefined ? '' : `, in a usual hour of the day ${seconds(usual)}`;
  return html`<p>Of the jobs accepted since ${clock(last.from)} UTC, 95 of 100 have taken at most ${seconds(last.waited ?? 0)} from acceptance to end${compared}.</p>${plot(
    {
      title: 'Time from the acceptance of jobs to their end, by hour',
      ...{ hours, deploys, value: ({ waited }) => waited, text: seconds },
    },
  )}${partlyRead(hours)}`;
}

export function sinceDeploy({ trends: { hours, deploys } }: TrendView): Html {
  if (hours.every(({ jobs }) => jobs === 0)) return NO_JOBS;
  const share = ({ jobs, failedJobs }: Pick<Hour, 'jobs' | 'failedJobs'>) => (jobs === 0 ? null : failedJobs / jobs);
  const percent = (value: number) => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
  const deploy = deploys.at(-1);
  return html`<p>${deploy === undefined ? 'No new version began within a day.' : html`Version ${deploy.version} began at ${clock(deploy.at)} UTC. ${comparison(hours, deploy.at, percent)}`}</p>${plot(
    {
      title: 'Share of jobs that have failed, by hour of their acceptance',
      ...{ hours, deploys, value: share, text: (value) => `${percent(value)} of jobs failed` },
    },
  )}${partlyRead(hours)}`;
}

function comparison(hours: readonly Hour[], at: Date, percent: (value: number) => string): string {
  const sum = (some: readonly Hour[]) => ({
    jobs: some.reduce((total, { jobs }) => total + jobs, 0),
    failed: some.reduce((total, { failedJobs }) => total + failedJobs, 0),
  });
  const [before, after] = [
    sum(hours.filter(({ from }) => from.getTime() + 3_600_000 <= at.getTime())),
    sum(hours.filter(({ from }) => from >= at)),
  ];
  const said = ({ jobs, failed }: typeof before) => `${percent(failed / jobs)} of ${counted(jobs, 'job')}`;
  if (before.jobs === 0 || after.jobs === 0)
    return 'There are no whole hours with jobs on both sides of it to compare.';
  return `In the whole hours before it, ${said(before)} failed; since then, ${said(after)}.`;
}

function partlyRead(hours: readonly Hour[]): Html | false {
  return (
    hours.some(({ partly }) => partly) && html`<p class="dim">Of hours with more jobs, the first 500 are counted.</p>`
  );
}

/** Files are what grows by the hour; what is deleted by age is not known before it happens. */
export function runningOut({ trends: { hours, deploys }, freeBytes, reserveBytes }: TrendView): Html {
  const grown = hours.slice(0, -1).reduce((sum, { fileBytes }) => sum + fileBytes, 0);
  const room = freeBytes === null ? null : freeBytes - reserveBytes;
  const days = room === null || grown === 0 ? null : room / grown;
  const answer =
    freeBytes === null
      ? 'The file store does not say how much space is free.'
      : room !== null && room <= 0
        ? html`${pill('full', 'bad')} The file store has less free than its reserve: uploads and exports are refused.`
        : days === null
          ? 'No file came in the whole hours of the last day.'
          : html`${pill(days < 3 ? 'soon' : 'room', days < 3 ? 'bad' : 'good')} At the pace of the last day the file store reaches its reserve in ${days > 999 ? 'years' : `about ${duration(86_400_000 * days)}`}, if nothing is deleted meanwhile.`;
  return html`<p>${answer}</p>${
    hours.some(({ fileBytes }) => fileBytes > 0) &&
    plot({
      title: 'Bytes of new files, by hour',
      ...{ hours, deploys, value: ({ fileBytes }) => fileBytes, text: (value) => bytes(value) },
    })
  }`;
}

const NOT_NOTED = html`<p class="none">Not known yet: a maintenance worker notes it once a minute.</p>`;
/** Of the limit. */
const SCARCE = 0.9;

export function connectionsOfDay({ trends: { hours, deploys } }: TrendView): Html {
  const noted = hours.filter(({ connections }) => connections !== null);
  const limit = noted.at(-1)?.connectionLimit ?? null;
  if (limit === null) return NOT_NOTED;
  const most = Math.max(...noted.map(({ connections }) => connections ?? 0));
  const isScarce = most > SCARCE * limit;
  const more = isScarce && ' Raise max_connections, lower DATABASE_POOL_MAX, or run fewer processes.';
  return html`<p>${pill(isScarce ? 'scarce' : 'room', isScarce ? 'bad' : 'good')} At most ${most} of ${limit} connections to Postgres were open at once, as noted every minute.${more}</p>${plot(
    {
      title: 'Connections to Postgres, the most of each hour',
      ...{ hours, deploys, value: ({ connections }) => connections, text: (value) => counted(value, 'connection') },
      ceiling: limit,
    },
  )}`;
}

export function databaseOfDay({ trends: { hours, deploys } }: TrendView): Html {
  const noted = hours.filter(({ databaseBytes }) => databaseBytes !== null);
  const [first, last] = [noted[0], noted.at(-1)];
  if (first === undefined || last === undefined) return NOT_NOTED;
  const grown = (last.databaseBytes ?? 0) - (first.databaseBytes ?? 0);
  const change =
    first === last
      ? ''
      : ` It has ${grown < 0 ? 'become smaller' : 'grown'} by ${bytes(Math.abs(grown))} since the hour of ${clock(first.from)} UTC.`;
  return html`<p>The database has ${bytes(last.databaseBytes ?? 0)}.${change}</p>${plot({
    title: 'Size of the database, at the end of each hour',
    ...{ hours, deploys, value: ({ databaseBytes }) => databaseBytes, text: (value) => bytes(value) },
  })}`;
}
