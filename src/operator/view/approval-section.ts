/** What waits for an approval, and for how long. */
import type { AwaitingJob } from '../read/approvals.js';
import { type Html, html } from './html.js';
import { ago, jobLink, ownerLink, table } from './layout.js';

export function approvalTable(jobs: readonly AwaitingJob[], now: Date): Html {
  const rows = jobs.map((job) => [
    jobLink(job.jobId),
    job.type,
    ownerLink(job),
    job.rows,
    ago(job.since, now),
    html`<a href="/admin/work?status=AWAITING_APPROVAL&amp;account=${job.accountId}">show all<span class="skip"> of this account</span></a>`,
  ]);
  const heads = ['Job', 'Type', 'Account and stage', 'Rows or items that would change', 'Waits since', 'More'];
  return table('Jobs that wait for an approval', heads, rows, 'No job waits for an approval.');
}
