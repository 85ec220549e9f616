/** The endpoint that reads what a job has changed, or would have changed. */
import { z } from 'zod';
import { nameChanges } from '../../../domain/catalog/items/named-changes.js';
import { JOB_CHANGE_CURSOR, pageJobChanges } from '../../../domain/changes/job-changes.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { changeFilter, changeLimit, chosenChanges } from '../../change-query.js';
import { defineRoute } from '../../define-route.js';
import { changeSchema, presentChange } from '../../presenters/present-change.js';
import { jobParams } from './params.js';

export const listJobChangesRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/changes',
  operationId: 'listJobChanges',
  family: 'files',
  tag: 'Changes',
  summary: 'List what a job has changed of items and definitions, or what a dry run would have changed',
  description:
    'In the order in which it was changed. While the job runs, what it has changed so far. Items that a job left as they were are not listed.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({
    ...changeFilter,
    limit: changeLimit,
    after: z
      .string()
      .regex(JOB_CHANGE_CURSOR, 'expected the `next` of the previous page')
      .optional()
      .meta({ description: 'The `next` of the previous page' }),
  }),
  responses: {
    200: {
      description: 'Changes',
      schema: z.object({
        data: z.array(changeSchema),
        limit: z.int(),
        next: z.string().optional().meta({ description: 'The value of `after` for the next page' }),
      }),
    },
  },
  async handle({ params, query: { limit, after, ...chosen }, site: { siteId } }, { db }) {
    const job = await findJob(db, siteId, params.id);
    const page = await pageJobChanges(db, job.id, await chosenChanges(db, siteId, chosen), { limit, after });
    const data = (await nameChanges(db, siteId, page.entries)).map(presentChange);
    return { status: 200, body: { data, limit, ...(page.next === null ? {} : { next: page.next }) } };
  },
});
