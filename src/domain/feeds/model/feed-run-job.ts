/** The job type that brings or sends the files of a feed. It needs no position in the ordering queue: the imports that it accepts have theirs. */
import { z } from 'zod';
import { COMMON_OPTIONS, defineJobType, type JobOf, type JobTypes } from '../../job-model/job-type.js';

/** The name of the type in the API. */
export const FEED_RUN_TYPE = 'FEED_RUN';

export const RUN_CAUSES = ['SCHEDULE', 'RETRY', 'REQUEST', 'AFTER', 'ARRIVAL', 'TRIGGER'] as const;
export type RunCause = (typeof RUN_CAUSES)[number];

export const FEED_RUN_JOB = defineJobType({
  kind: 'feed-run',
  names: [FEED_RUN_TYPE],
  options: z
    .object({ ...COMMON_OPTIONS, feedId: z.string(), cause: z.enum(RUN_CAUSES), lateByMinutes: z.int() })
    .readonly(),
  /** `attempt`: how many times it has begun. */
  plan: z.object({ attempt: z.int() }),
  steps: ['feed'],
  oneStep: {
    failed: 'we could not finish the run; the next one does what is left to do',
    cancelled: (taken) =>
      taken === 0
        ? 'cancelled on request; no file was taken or sent'
        : 'cancelled on request; what was taken before is imported all the same',
    // Its feed decides what runs, so that it never runs twice at a time.
    notRepeated: 'a run of a feed is not repeated: run the feed again, by POST /feeds/{id}/actions/run',
  },
  // A worker process runs more of them than this: servers that do not answer must not keep it from those of other accounts.
  accountWindow: 2,
  isConcurrent: () => true,
  // A file that waits to be sent is among them; it is exported anew if it waits until its job is deleted.
  storedKeys: (id, plan) => keysOfOutputs(id, plan?.attempt ?? 0),
  rowNaming: null,
  result: 'items',
});

const TYPES = { [FEED_RUN_JOB.kind]: FEED_RUN_JOB };
export type FeedRunJob = JobOf<typeof TYPES>;
export const FEED_RUN_JOBS: JobTypes<FeedRunJob> = TYPES;

/** Where an attempt stores the export of a destination: each has a key of its own, since one that seems dead may go on. */
export function outputKey(jobId: string, attempt: number): string {
  return `feed-outputs/${jobId}-${attempt}`;
}

/** The keys of the first attempts. */
export function keysOfOutputs(jobId: string, attempts: number): string[] {
  return Array.from({ length: attempts }, (_, index) => outputKey(jobId, index + 1));
}

/** Files that a report names. */
export const MOST_NAMED = 50;

const failure = z.object({ code: z.string(), message: z.string() });

/** What a run of a source has found, as it is kept. */
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
    failure: failure.nullable(),
  })
  .readonly();
export type RunReport = z.output<typeof runReport>;

export const FEED_CONTENTS = ['WHOLE', 'DELTA'] as const;
export type FeedContent = (typeof FEED_CONTENTS)[number];

/** A file that a run of a destination has sent. */
const sentFile = z
  .object({
    name: z.string(),
    content: z.enum(FEED_CONTENTS),
    whyWhole: z.string().nullable().meta({ description: 'Of a destination of changes: why this file is whole' }),
    rows: z.number(),
    bytes: z.number(),
    from: z.string().nullable().meta({ description: 'The cursor after which its changes begin; null: it is whole' }),
    to: z.string().nullable().meta({ description: 'The cursor after which the changes of the next file begin' }),
  })
  .readonly();
export type SentFile = z.output<typeof sentFile>;

/** What a run of a destination has sent, as it is kept. */
export const deliveryReport = z
  .object({
    /** Mostly one; two when a file of changes was left over by an earlier run. */
    files: z.array(sentFile).readonly(),
    /** There was nothing to write, and nothing was written. */
    skipped: z.boolean(),
    /** Older files that were removed. */
    removed: z.array(z.string()).readonly(),
    failure: failure.nullable(),
  })
  .readonly();
export type DeliveryReport = z.output<typeof deliveryReport>;
