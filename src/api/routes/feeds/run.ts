/** The endpoint that runs a feed now. */
import { z } from 'zod';
import { requestRun } from '../../../domain/feeds/start-run.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema } from '../../presenters/present-job.js';
import { feedParams, ofFeeds } from './common.js';

export const runFeedRoute = defineRoute({
  ...ofFeeds,
  method: 'POST',
  path: '/feeds/:feedId/actions/run',
  operationId: 'runFeed',
  summary: 'Run a feed now',
  description:
    'A job that looks for files and takes those that are new, or, of a destination, exports and sends the file. Whatever puts files there can call this when it is done; the schedule stays as it is.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  idempotent: true,
  prefersWait: true,
  refusals: { 409: 'The feed is running already, or is paused' },
  responses: {
    200: { description: 'With `Prefer: wait`: the job, which has ended', schema: jobSchema },
    202: {
      description: 'Accepted; Location is the address of the job',
      schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED') }),
    },
  },
  audit: 'FEED_RUN_REQUESTED',
  handle(request, services) {
    const { params, site } = request;
    const { siteId, traceparent, actor } = site;
    return acceptMadeJob(request, services, {
      writesRows: false,
      accept: (trx, { id, requestId }) => requestRun(trx, siteId, params.feedId, { id, requestId, traceparent, actor }),
    });
  },
});
