/** The job type that brings the files of a feed. It needs no position in the ordering queue: the imports that it accepts have theirs. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, type JobOf, type JobTypes } from '../../jobs/model/job-type.js';

/** The name of the type in the API. */
export const FEED_RUN_TYPE = 'FEED_RUN';

export const RUN_CAUSES = ['SCHEDULE', 'RETRY', 'REQUEST', 'ARRIVAL', 'TRIGGER'] as const;
export type RunCause = (typeof RUN_CAUSES)[number];

export const FEED_RUN_JOB = defineJobType({
  kind: 'feed-run',
  names: [FEED_RUN_TYPE],
  options: z
    .object({ ...COMMON_OPTIONS, feedId: z.string(), cause: z.enum(RUN_CAUSES), lateByMinutes: z.int() })
    .readonly(),
  /** `attempt`: how many times looking for files has begun. */
  plan: z.object({ attempt: z.int() }),
  steps: ['feed'],
  oneStep: {
    failed: 'we could not finish the run; files that were not taken are taken by the next one',
    cancelled: (taken) =>
      taken === 0
        ? 'cancelled on request; no file was taken'
        : 'cancelled on request; what was taken before is imported all the same',
    // Its feed decides what runs, so that it never runs twice at a time.
    notRepeated: 'a run of a feed is not repeated: run the feed again, by POST /feeds/{id}/actions/run',
  },
  // A worker process runs more of them than this: servers that do not answer must not keep it from those of other stages.
  siteWindow: 2,
  isConcurrent: () => true,
  rowNaming: null,
  result: 'items',
});

const TYPES = { [FEED_RUN_JOB.kind]: FEED_RUN_JOB };
export type FeedRunJob = JobOf<typeof TYPES>;
export const FEED_RUN_JOBS: JobTypes<FeedRunJob> = TYPES;

/** Files that a report names. */
export const MOST_NAMED = 50;

/** What a run has found, as it is kept. */
export const runReport = z
  .object({
    /** Files that match. */
    seen: z.int(),
    /** New files, each with an import job. */
    taken: z.int(),
    /** Files that were taken before. */
    known: z.int(),
    /** Files that are still being written, or whose marker is missing. */
    waiting: z.int(),
    /** The first files that cannot be imported, each with a reason. */
    refused: z.array(z.object({ name: z.string(), reason: z.string() })).readonly(),
    /** Why the run has failed; null: it has not. */
    failure: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .readonly();
export type RunReport = z.output<typeof runReport>;
