/** The page Work: the search over all accounts, and what it has found. */

import { counted } from '../../domain/kernel/counted.js';
import type { FoundJob, JobFilter } from '../read/find-jobs.js';
import type { FoundSku } from '../read/find-sku.js';
import { actionButton, type Forms } from './forms.js';
import { type Html, html } from './html.js';
import { ago, jobLink, ownerLink, statusPill, table } from './layout.js';

/** How a text is searched for. */
export const SEARCHES = {
  job: 'Job id',
  account: 'Account (id or name)',
  file: 'File name',
  sku: 'SKU',
  code: 'Error code or reason',
} as const;

export interface Asked {
  readonly by: keyof typeof SEARCHES;
  readonly q: string;
  readonly account: string;
  readonly status: string;
  readonly type: string;
}

interface WorkView {
  readonly now: Date;
  readonly asked: Asked;
  readonly statuses: readonly string[];
  readonly types: readonly string[];
  readonly filter: JobFilter;
  readonly jobs: readonly FoundJob[];
  /** The address of the next part; null: this is the last one. */
  readonly nextAddress: string | null;
  readonly examined: number;
  readonly sku: FoundSku | null;
  readonly forms: Forms;
}

export function workPage(view: WorkView): Html {
  return html`<section><h2>Search</h2>${searchForm(view)}</section>
${view.sku === null ? foundJobs(view) : foundSku(view.sku, view.now)}`;
}

function searchForm({ asked, statuses, types }: WorkView): Html {
  return html`<form class="search" action="/admin/work" method="get">
<label>Search for <select name="by">${Object.entries(SEARCHES).map(([value, name]) => option(value, name, asked.by))}</select></label>
<label>Text <input name="q" value="${asked.q}" size="28"></label>
<label>In the account <input name="account" value="${asked.account}" placeholder="any"></label>
<label>Status <select name="status">${option('', 'any', asked.status)}${statuses.map((status) => option(status, status.replaceAll('_', ' ').toLowerCase(), asked.status))}</select></label>
<label>Type <select name="type">${option('', 'any', asked.type)}${types.map((type) => option(type, type.replaceAll('_', ' ').toLowerCase(), asked.type))}</select></label>
<button>Search</button> <a href="/admin/work">Clear</a>
</form>`;
}

function option(value: string, name: string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`;
}

function foundJobs({ now, jobs, nextAddress, examined, filter, forms }: WorkView): Html {
  return html`<section><h2>Jobs, newest first</h2>
${jobTable(jobs, now, 'No job matches.')}
<p class="dim">${counted(examined, 'job')} examined.${
    nextAddress !== null && html` <a href="${nextAddress}">Search older jobs</a>`
  }</p>
${jobs.length > 0 && actionsOnAll(filter, forms)}</section>`;
}

function actionsOnAll(filter: JobFilter, forms: Forms): Html {
  return html`<h3>All jobs that match, on this page and older</h3>
<div class="actions">${retryButtons(filter, forms)} ${actionButton(forms, 'cancel', filter, 'Cancel all that have not ended')}</div>`;
}

function retryButtons(filter: JobFilter, forms: Forms): Html {
  if (filter.status === undefined) return actionButton(forms, 'retry', filter, 'Retry all that have failed');
  return html`${actionButton(forms, 'retry', filter, 'Retry all')} ${actionButton(forms, 'retry', { ...filter, rows: 'failed' }, 'Retry the failed rows of all')}`;
}

function jobTable(jobs: readonly FoundJob[], now: Date, empty: string): Html {
  return table(
    'Jobs',
    ['Job', 'Whose', 'Type', 'Status', 'Rows', 'Failed rows', 'Accepted', 'Ended'],
    jobs.map((job) => [
      jobLink(job.id),
      ownerLink(job),
      job.type.replaceAll('_', ' ').toLowerCase(),
      html`${statusPill(job.status)} ${job.reason}`,
      `${job.processed} of ${job.total ?? '?'}`,
      job.failed,
      ago(job.createdAt, now),
      ago(job.completedAt, now),
    ]),
    empty,
  );
}

function foundSku({ items, errors }: FoundSku, now: Date): Html {
  return html`<section><h2>Items with this SKU</h2>${table(
    'Items',
    ['Whose', 'Created', 'Changed'],
    items.map((item) => [ownerLink(item), ago(item.createdAt, now), ago(item.updatedAt, now)]),
    'No account has an item with this SKU.',
  )}</section>
<section><h2>Errors of its rows</h2><p class="dim">In the 25 newest jobs of each stage that has the item or belongs to the account that you name; without an account, in the 200 newest jobs as well.</p>${table(
    'Errors of rows',
    ['Job', 'Whose', 'Row', 'Column', 'Code', 'Message'],
    errors.map((error) => [jobLink(error.jobId), ownerLink(error), error.row, error.column, error.code, error.message]),
    'None of these rows has an error.',
  )}</section>`;
}
