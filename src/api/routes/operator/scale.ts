/** GET /admin/scale: how many workers the system wants. */
import { z } from 'zod';
import { readSnapshots } from '../../../../db/process-snapshots.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { defineRoute } from '../../define-route.js';

/** Older figures say nothing about now. */
const SCALE_MAX_SECONDS = 60;

const groupScale = z.object({
  wanted: z.int().meta({ description: 'How many processes the group should have' }),
  workers: z.int().meta({ description: 'How many serve it now' }),
  unlimited: z.int().meta({ description: 'How many the work alone would want' }),
  limited_by: z
    .enum(['parallelism', 'database', 'connections'])
    .nullable()
    .meta({ description: 'Why it is not as many; null: it is' }),
  slots: z.int().meta({ description: 'What one process executes at once' }),
  arrival: z.number().meta({ description: 'Slot-seconds of work that arrive each second' }),
  busy: z.number().meta({ description: 'Slots that are busy' }),
  dueSlotSeconds: z.number().meta({ description: 'The work that waits or runs' }),
  parallelSlots: z.number().nullable().meta({ description: 'How much of it may run at once; null: not known' }),
  slowness: z.number().nullable().meta({ description: 'How much longer a slot takes than usually; null: not known' }),
  roomForWorkers: z.number().meta({ description: 'How many more processes Postgres has connections for' }),
});

/** What the leader has published of a group: see workers/maintenance/measure-system.ts. */
const publishedGroup = groupScale
  .pick({ wanted: true, workers: true, unlimited: true, slots: true, arrival: true, busy: true, slowness: true })
  .extend({
    limitedBy: groupScale.shape.limited_by,
    due: z.number(),
    parallel: z.number(),
    roomForWorkers: z.number(),
  });
const published = z.object({ measuredAt: z.iso.datetime(), groups: z.record(z.string(), publishedGroup) });

export const scaleRoute = defineRoute({
  method: 'GET',
  path: '/admin/scale',
  operationId: 'getScale',
  family: 'operator',
  tag: 'Operations',
  summary: 'How many worker processes each group should have, and why not more',
  description: 'The same as the metric longshore_workers_wanted. It goes up at once, and down by one per five minutes.',
  auth: { scope: 'operator' },
  siteContext: false,
  responses: {
    200: {
      description: 'The last measurement',
      schema: z.object({ measuredAt: z.iso.datetime(), groups: z.record(z.string(), groupScale) }),
    },
  },
  refusals: { 503: 'No maintenance worker has measured the system within the last minute' },
  async handle(_request, { db }) {
    const { system, processes } = await readSnapshots(db);
    if (system === null || system.ageSeconds > SCALE_MAX_SECONDS) {
      const message =
        'nobody measures the system at present: start a maintenance worker (npm run worker -- maintenance)';
      throw new DomainError('unavailable', 'NOT_MEASURED', message);
    }
    const { measuredAt, groups } = published.parse(system.facts);
    const shown = Object.entries(groups).map(([group, { limitedBy, due, parallel, ...others }]) => [
      group,
      {
        ...others,
        workers: processes.filter(({ groups }) => groups.includes(group)).length,
        limited_by: limitedBy,
        dueSlotSeconds: due,
        parallelSlots: parallel === Number.MAX_SAFE_INTEGER ? null : parallel,
      },
    ]);
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: { measuredAt, groups: Object.fromEntries(shown) },
    };
  },
});
