/** The endpoint that has a feed take a file once more. */
import { z } from 'zod';
import { takeAgain } from '../../../domain/feeds/take-again.js';
import { acceptMadeJob } from '../../accept-made-job.js';
import { defineRoute } from '../../define-route.js';
import { jobSchema } from '../../presenters/present-job.js';
import { feedParams, ofFeeds } from './common.js';

export const takeAgainRoute = defineRoute({
  ...ofFeeds,
  method: 'POST',
  path: '/feeds/:feedId/actions/take-again',
  operationId: 'takeFeedFileAgain',
  summary: 'Have a feed take a file again',
  description:
    'A feed takes each content once, whatever becomes of its import. When that was rejected, or the brake of a snapshot has stopped its removals, this runs the feed and has it take the file again, with the options that the feed has now: where the file lies, or as it was kept if it was moved or deleted.',
  auth: { scope: 'feeds:write' },
  params: feedParams,
  body: {
    schema: z.strictObject({
      name: z.string().min(1).max(1_000).meta({ description: 'As GET /feeds/{id}/files names it' }),
    }),
    example: { name: 'items-2026-11-26.csv' },
  },
  idempotent: true,
  prefersWait: true,
  refusals: {
    404: 'There is no such feed, or it has taken no such file',
    409: 'The file is still being imported, or the feed is running already or paused',
  },
  responses: {
    200: { description: 'With `Prefer: wait`: the job of the run, which has ended', schema: jobSchema },
    202: {
      description: 'Accepted; Location is the address of the job of the run',
      schema: z.object({ jobId: z.string(), status: z.literal('SCHEDULED') }),
    },
  },
  audit: 'FEED_RUN_REQUESTED',
  handle(request, services) {
    const { params, body, site } = request;
    const { siteId, traceparent, actor } = site;
    return acceptMadeJob(request, services, {
      writesRows: false,
      accept: (trx, { id, requestId }) =>
        takeAgain(trx, siteId, params.feedId, body.name, { id, requestId, traceparent, actor }),
    });
  },
});
