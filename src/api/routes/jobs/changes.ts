/** The endpoint that reads what a job has changed, or would have changed. */
import { z } from 'zod';
import { nameChanges } from '../../../domain/catalog/items/named-changes.js';
import { pageJobChanges } from '../../../domain/changes/job-changes.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { changePage, chosenJobChanges, jobChangeFilter } from '../../change-query.js';
import { defineRoute } from '../../define-route.js';
import { changePageSchema, presentChangePage } from '../../presenters/present-change.js';
import { jobParams } from './params.js';

export const listJobChangesRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/changes',
  operationId: 'listJobChanges',
  family: 'files',
  tag: 'Changes',
  summary: 'List what a job has changed of items and definitions, or what a dry run would have changed',
  description:
    'In the order in which it was changed. What the import of an archive, or its revert, has changed of import profiles, settings and webhook definitions comes first, without secrets. While the job runs, what it has changed so far. Items that a job left as they were are not listed.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({
    ...jobChangeFilter,
    ...changePage,
  }),
  responses: {
    200: { description: 'Changes', schema: changePageSchema },
  },
  async handle({ params, query: { limit, after, ...chosen }, site, principal }, { db }) {
    const { siteId } = site;
    const job = await findJob(db, siteId, params.id);
    const page = await pageJobChanges(db, job.id, await chosenJobChanges(db, { principal, site }, chosen), {
      limit,
      after,
    });
    return { status: 200, body: presentChangePage(await nameChanges(db, siteId, page.entries), limit, page.next) };
  },
});
