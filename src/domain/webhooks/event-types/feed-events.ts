/** Events about feeds: what failed, and what did not come. */
import { z } from 'zod';
import { defineEventType } from './event-type.js';

const feed = { feedId: z.string(), name: z.string() };
const EXAMPLE = { feedId: '6920e1f0a1b2c3d4e5f60718', name: 'ERP, every night' } as const;

export const feedRunFailed = defineEventType({
  name: 'FEED_RUN_FAILED',
  source: 'CATALOG',
  audience: 'subscribers',
  description:
    'a run of a feed has failed, wholly or with some of its files, or the feed has paused because it may do nothing any more',
  payload: z.strictObject({
    ...feed,
    jobId: z.string().nullable().meta({ description: 'null: it was a look, or the feed itself, and no run' }),
    code: z.string().meta({ description: 'Machine-readable: UNREACHABLE, REFUSED_LOGIN, FEED_PAUSED, …' }),
    message: z.string(),
    failures: z.int().meta({ description: 'How many runs have failed one after another' }),
    nextRunAt: z.iso.datetime().nullable().meta({ description: 'null: it has no schedule, or is paused' }),
  }),
  example: {
    ...EXAMPLE,
    jobId: '6920e1f0a1b2c3d4e5f60719',
    code: 'UNREACHABLE',
    message: 'the server sftp.shop.example does not answer',
    failures: 2,
    nextRunAt: '2026-11-21T01:35:00.000Z',
  },
});

export const feedOverdue = defineEventType({
  name: 'FEED_OVERDUE',
  source: 'CATALOG',
  audience: 'subscribers',
  description: 'a feed has taken no new file within the time in which one is expected',
  payload: z.strictObject({
    ...feed,
    expectWithinMinutes: z.int(),
    since: z.iso.datetime().meta({ description: 'Since when a file is expected, or since the last such event' }),
    lastFileAt: z.iso.datetime().nullable().meta({ description: 'null: it has never taken one' }),
    nextRunAt: z.iso.datetime().nullable(),
  }),
  example: {
    ...EXAMPLE,
    expectWithinMinutes: 1_500,
    since: '2026-11-20T01:30:00.000Z',
    lastFileAt: '2026-11-20T01:30:00.000Z',
    nextRunAt: '2026-11-22T01:30:00.000Z',
  },
});
