/** The frame of the operators' pages, and the parts that they share: tables, states, ages, links. */
import { VERSION } from '../../platform/version.js';
import type { Owner } from '../read/reading.js';
import { type Html, html } from './html.js';

const PAGES = [
  ['/admin', 'Now'],
  ['/admin/work', 'Work'],
  ['/admin/endpoints', 'Endpoints'],
  ['/admin/fleet', 'Fleet'],
  ['/admin/actions', 'Actions'],
] as const;

interface Frame {
  readonly title: string;
  /** The address of the page in the navigation that it belongs to. */
  readonly at: string;
  readonly content: Html;
  readonly now: Date;
  /** Whether the page is the same with another query. Default: yes. */
  readonly refreshes?: boolean;
}

const REFRESH = html` ·
<a href="?refresh=10">refresh every 10 seconds</a> · <a href="?">do not refresh</a>`;

/** A whole page. */
export function layout({ title, at, content, now, refreshes = true }: Frame): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Longshore</title>
<link rel="stylesheet" href="/admin/style.css">
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="brand"><a href="/admin">Longshore</a></p>
<nav aria-label="Pages"><ul>
${PAGES.map(([href, name]) => html`<li><a href="${href}"${href === at && html` aria-current="page"`}>${name}</a></li>`)}
<li><a href="/admin/queues">Queues</a></li>
<li><a href="/console/">Console</a></li>
</ul></nav>
</header>
<main id="main">
<h1>${title}</h1>
${content}
</main>
<footer><p>As of <time datetime="${now.toISOString()}">${shownTime(now)}</time> (UTC) · version ${VERSION}${refreshes && REFRESH}</p></footer>
</body>
</html>
`;
  return page.text;
}

/** A time as `2026-11-22 19:05:31`. */
function shownTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** A time with its distance from now: `3 min ago`. */
export function ago(at: Date | null, now: Date): Html {
  if (at === null) return html`–`;
  const ms = now.getTime() - at.getTime();
  const text = ms >= 0 ? `${duration(ms)} ago` : `in ${duration(-ms)}`;
  return html`<time datetime="${at.toISOString()}" title="${shownTime(at)} UTC">${text}</time>`;
}

/** When something may begin: `in 3 min`, or `due since 3 min`. */
export function due(at: Date | null, now: Date): Html {
  if (at === null || at > now) return ago(at, now);
  const text = `due since ${duration(now.getTime() - at.getTime())}`;
  return html`<time datetime="${at.toISOString()}" title="${shownTime(at)} UTC">${text}</time>`;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `2 d 3 h`, `4 min 10 s`, `0 s`. */
export function duration(ms: number): string {
  const first = UNITS.findIndex(([unit]) => ms >= unit);
  if (first < 0) return '0 s';
  const [unit, name] = UNITS[first] ?? UNITS[3];
  const whole = `${Math.floor(ms / unit)} ${name}`;
  const [smaller, smallerName] = UNITS[first + 1] ?? [0, ''];
  const rest = smaller === 0 ? 0 : Math.floor((ms % unit) / smaller);
  return rest === 0 ? whole : `${whole} ${rest} ${smallerName}`;
}

/** Bytes as people write them. */
export function bytes(count: number): string {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(1, count)) / 10)));
  const value = count / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`;
}

type Tone = 'good' | 'busy' | 'bad' | 'plain';

/** A state, in a word and in a colour: the colour says nothing that the word does not. */
export function pill(word: string, tone: Tone): Html {
  return html`<span class="pill ${tone}">${word}</span>`;
}

const TONES: Readonly<Record<string, Tone>> = {
  COMPLETED: 'good',
  COMPLETED_PARTIALLY: 'busy',
  IN_PROGRESS: 'busy',
  SCHEDULED: 'plain',
  AWAITING_UPLOAD: 'plain',
  AWAITING_PROFILE: 'plain',
  AWAITING_APPROVAL: 'busy',
  CANCELLATION_IN_PROGRESS: 'busy',
  FAILED: 'bad',
  REJECTED: 'bad',
};

/** The status of a job. */
export function statusPill(status: string): Html {
  return pill(status.replaceAll('_', ' ').toLowerCase(), TONES[status] ?? 'plain');
}

/**
 * A table that can be scrolled with the keyboard where it is wider than the page.
 * @param empty stands in its place when it has no rows
 */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly Cell[])[], empty: string) {
  if (rows.length === 0) return html`<p class="none">${empty}</p>`;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody>
</table></div>`;
}

type Cell = Html | string | number | null;

/** Names and values. */
export function facts(pairs: readonly (readonly [name: string, value: Cell])[]): Html {
  return html`<dl class="facts">${pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? '–'}</dd></div>`)}</dl>`;
}

/** Whose something is. */
export function ownerLink({ accountId, accountName, stage }: Owner): Html {
  return html`<a href="/admin/work?account=${encodeURIComponent(accountId)}">${accountName}</a> <span class="dim">${accountId} · ${stage}</span>`;
}

/** A link to the page of a job. */
export function jobLink(jobId: string): Html {
  return html`<a class="id" href="/admin/jobs/${encodeURIComponent(jobId)}">${jobId}</a>`;
}
