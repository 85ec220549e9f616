/** The endpoint that sums up jobs by day. */
import { z } from 'zod';
import { jobStatistics } from '../../../domain/jobs/job-statistics.js';
import { defineRoute } from '../../define-route.js';
import { statisticsDays, statisticsQuery, statisticsSince } from '../../statistics-query.js';

export const jobStatisticsRoute = defineRoute({
  method: 'GET',
  path: '/jobs/statistics',
  operationId: 'getJobStatistics',
  family: 'files',
  tag: 'Jobs',
  summary: 'Sum up jobs by day',
  description:
    'What has become of jobs and their rows by day, and the errors that were most frequent, each with the newest job that has it. Dry runs are left out.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: statisticsQuery,
  responses: {
    200: {
      description: 'The sums',
      schema: z
        .object({
          since: statisticsSince,
          days: statisticsDays({
            jobs: z.int(),
            failedJobs: z.int().meta({ description: 'Those that were REJECTED or have FAILED' }),
            created: z.int().meta({ description: 'Rows, as all that follow' }),
            updated: z.int(),
            unchanged: z.int(),
            failed: z.int(),
            errors: z.array(z.object({ code: z.string().nullable(), rows: z.int() })).meta({
              description:
                'Failed rows by code: those of the codes that were most frequent in all of the days, and of all others together (null). A row with two errors counts with both',
            }),
          }),
          statuses: z.record(z.string(), z.int()).meta({ description: 'How many jobs have each status' }),
          errors: z.array(
            z.object({
              code: z.string(),
              path: z.string().nullable(),
              rows: z.int(),
              jobs: z.int(),
              example: z.string(),
              jobId: z.string().meta({ description: 'The newest job with this error' }),
            }),
          ),
        })
        .meta({ id: 'JobStatistics' }),
    },
  },
  async handle({ query, site }, { db }) {
    const { since, days, statuses, errors } = await jobStatistics(db, site.siteId, query);
    return {
      status: 200,
      body: {
        since: since.toISOString(),
        days: days.map((day) => ({ ...day, errors: [...day.errors] })),
        statuses,
        errors: [...errors],
      },
    };
  },
});
