/** The page of one job: its state, options, steps and attempts, and its errors by code. */
import { showJob } from '../../domain/job-model/show-job.js';
import type { jobDetails } from '../read/job-details.js';
import { isHeld, type OwnedWork, type QueueView } from '../read/queue-work.js';
import { actionButton, type Forms } from './forms.js';
import { type Html, html } from './html.js';
import { ago, duration, facts, jobLink, ownerLink, pill, statusPill, table } from './layout.js';

interface JobView extends Awaited<ReturnType<typeof jobDetails>> {
  readonly now: Date;
  readonly queue: QueueView | null;
  /** The ids of the living processes. */
  readonly living: ReadonlySet<string>;
  readonly forms: Forms;
}

const ORDER: Readonly<Record<string, string>> = {
  q: 'its turn has come',
  h: 'held behind earlier jobs of its stage',
  r: 'begun, and not ended',
  e: 'ended',
  p: 'failed; later jobs of its stage wait until it is resumed',
};

export function jobPage(view: JobView): Html {
  const { job, owner, now, forms } = view;
  const { options, retryOf } = optionsOf(view);
  return html`<section><p class="answer">${statusPill(job.status)} ${job.reason}</p>
${job.status_message !== null && html`<p>${job.status_message}</p>`}
${facts([
  ['Whose', ownerLink(owner)],
  ['Type', job.type],
  ['File', view.fileName],
  ['Rows', `${job.processed_count} of ${job.total_count ?? '?'}`],
  ['Created, updated, unchanged', `${job.created_count}, ${job.updated_count}, ${job.unchanged_count}`],
  ['Failed rows', job.error_count],
  ['Accepted', ago(job.created_at, now)],
  ['Begun', ago(job.started_at, now)],
  ['Ended', ago(job.completed_at, now)],
  ['Retry of', retryOf === null ? null : jobLink(retryOf)],
  ['Request', job.request_id],
])}
<div class="actions">${job.completed_at === null ? actionButton(forms, 'cancel', { job: job.id }, 'Cancel this job') : retryButtons(view)}</div></section>
<div class="grid"><section><h2>Options</h2>${options.length === 0 ? html`<p class="none">It has none.</p>` : facts(options)}</section>
<section><h2>Step</h2>${step(view)}</section></div>
<section><h2>Chunks</h2>${chunks(view)}</section>
<section><h2>Errors of rows, by code</h2>${errors(view)}</section>`;
}

function retryButtons({ job: { id, status, error_count: failedRows }, forms }: JobView): Html {
  if (status === 'COMPLETED') return html``;
  return html`${actionButton(forms, 'retry', { job: id }, 'Retry what was not applied')} ${
    failedRows > 0 && actionButton(forms, 'retry', { job: id, rows: 'failed' }, 'Retry the failed rows')
  }`;
}

function optionsOf({ job }: JobView) {
  const { retryOf, ...options } = showJob(job).options;
  const shown = Object.entries(options).map(([name, value]) => [name, String(value)] as const);
  return { options: shown, retryOf: typeof retryOf === 'string' ? retryOf : null };
}

function step({ job, order, queue, living, now }: JobView): Html {
  const own = queue?.running.filter(({ jobIds }) => jobIds.includes(job.id)) ?? [];
  const held = own.filter(({ processId }) => isHeld(processId, living));
  const token = job.step === 'plan' ? order?.token : job.dispatch;
  return html`${facts([
    ['Step', job.step ?? 'none: it has ended, or its file has not arrived'],
    ['Order of its stage', order === null ? 'it has no place in it' : (ORDER[order.state] ?? order.state)],
    ['Enqueued', ago(job.step === 'plan' ? (order?.dueSince ?? null) : job.dispatched_at, now)],
    ['Fencing token', token ?? 0],
    ['Failed attempts', job.attempts],
    ['Outages in a row', job.outages],
    ['Processes it has ended', job.deaths],
  ])}<h3>Runs now</h3>${
    queue === null
      ? html`<p class="none">Not known: the queue does not answer.</p>`
      : table(
          'Steps that run now',
          ['Queue', 'For', 'Process'],
          held.map((work) => [work.queue, duration(now.getTime() - work.since.getTime()), processOf(work)]),
          own.length > held.length
            ? 'The process that worked on it is gone. Another worker of the group takes it over.'
            : 'No process works on it at this moment.',
        )
  }`;
}

function processOf({ processId }: OwnedWork): Html {
  return processId === null ? html`not known` : html`<a class="id" href="/admin/fleet">${processId}</a>`;
}

function chunks({ chunks: counts, openChunks, now }: JobView): Html {
  const summary = counts.map(
    ({ status, count }) => html`${pill(`${count} ${status}`, status === 'done' ? 'good' : 'plain')} `,
  );
  return html`<p>${counts.length === 0 ? html`<span class="none">It has no chunks.</span>` : summary}</p>${
    openChunks.length > 0 &&
    table(
      'Chunks that are open, or were tried more than once',
      ['Chunk', 'Pass', 'State', 'Rows', 'Enqueued', 'Fencing token', 'Failed attempts', 'Outages', 'Processes ended'],
      openChunks.map((chunk) => [
        chunk.chunk,
        chunk.pass,
        chunk.status,
        `${chunk.rows} from row ${chunk.firstRow}`,
        ago(chunk.dueSince, now),
        chunk.token,
        chunk.attempts,
        chunk.outages,
        chunk.deaths,
      ]),
      '',
    )
  }`;
}

/** Without examples: they contain values of the customer. */
function errors({ job }: JobView): Html {
  return table(
    'Errors of rows, by code',
    ['Code', 'Column', 'Rows', 'Which'],
    (job.error_summary ?? []).map(({ code, path, count, rows }) => [html`<strong>${code}</strong>`, path, count, rows]),
    job.error_count === 0 ? 'No row has an error.' : 'Its errors are added up when it ends.',
  );
}
