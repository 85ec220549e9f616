/** A feed, its runs and its files, as clients see them. */
import { z } from 'zod';
import type { FoundFeed } from '../../domain/feeds/feeds.js';
import type { listTakenFiles } from '../../domain/feeds/known-files.js';
import type { FeedRun } from '../../domain/feeds/list-runs.js';
import { failureSchema } from '../../domain/feeds/model/feed.js';
import { RUN_CAUSES, runReport } from '../../domain/feeds/model/feed-run-job.js';
import { FEED_STATES, feedFileType } from '../../domain/feeds/model/feed-settings.js';
import { nextRuns } from '../../domain/feeds/model/schedule.js';
import type { FeedTest } from '../../domain/feeds/test-feed.js';

/** Times of the schedule that are shown. */
const SHOWN_TIMES = 3;
const time = z.iso.datetime();
const json = z.record(z.string(), z.unknown());

export const feedSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    direction: z.literal('SOURCE'),
    connection: json.meta({ description: 'As it was sent, with its kind; never with a secret' }),
    hasSecret: z.boolean().meta({ description: 'Whether a secret is stored' }),
    fileType: feedFileType,
    locale: z.string().nullable(),
    options: json.meta({ description: 'As of an announcement' }),
    pick: z.object({
      pattern: z.string(),
      take: z.enum(['all', 'newest']),
      doneMarker: z.string().nullable(),
      settleSeconds: z.int(),
    }),
    afterwards: z.union([z.enum(['leave', 'delete']), z.object({ moveTo: z.string() })]),
    schedule: z
      .union([z.object({ cron: z.string(), timeZone: z.string() }), z.object({ everySeconds: z.int() })])
      .nullable(),
    nextRunAt: time.nullable().meta({
      description: 'With everySeconds: when it is looked at next. null: it is paused, or runs on request only',
    }),
    nextTimes: z.array(time).meta({ description: 'The next times of its schedule' }),
    expectWithinMinutes: z.int().nullable(),
    state: z.enum(FEED_STATES),
    pauseReason: z.string().nullable(),
    savedBy: z.string().nullable().meta({ description: 'The name of the token or client that saved it last' }),
    channel: z.int().nullable(),
    version: z.int().meta({ description: 'Every change makes a version; the first is 1' }),
    lastJobId: z.string().nullable().meta({ description: 'The job of the last run' }),
    lastRunAt: time.nullable(),
    lastLookAt: time.nullable().meta({ description: 'With everySeconds: when it was looked at last' }),
    lastFileAt: time.nullable().meta({ description: 'When a run that took a new file ended last' }),
    failures: z.int().meta({ description: 'How many runs have failed one after another' }),
    lastFailure: failureSchema.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Feed' });

export function presentFeed(feed: FoundFeed): z.input<typeof feedSchema> {
  const { id, name, direction, connection, locale, options, pick, afterwards, schedule, state, channel } = feed;
  return {
    ...{ id, name, direction, connection: { ...connection }, hasSecret: feed.secrets !== null },
    ...{ fileType: feed.file_type, locale, options: { ...options }, pick, afterwards, schedule },
    nextRunAt: feed.next_run_at?.toISOString() ?? null,
    nextTimes: schedule === null ? [] : nextRuns(schedule, feed.now, SHOWN_TIMES).map((at) => at.toISOString()),
    ...{ expectWithinMinutes: feed.expect_within_minutes, state, pauseReason: feed.pause_reason },
    ...{ savedBy: feed.saver_name, channel, version: feed.version, lastJobId: feed.last_job_id },
    lastRunAt: feed.last_run_at?.toISOString() ?? null,
    lastLookAt: feed.looked_at?.toISOString() ?? null,
    lastFileAt: feed.last_file_at?.toISOString() ?? null,
    ...{ failures: feed.failures, lastFailure: feed.last_failure },
    createdAt: feed.created_at.toISOString(),
    updatedAt: feed.updated_at.toISOString(),
  };
}

export const feedRunSchema = z
  .object({
    jobId: z.string(),
    cause: z.enum(RUN_CAUSES).meta({
      description:
        'RETRY: the run or look before has failed. ARRIVAL: a look has found something new. TRIGGER: its address was called',
    }),
    lateByMinutes: z
      .int()
      .meta({ description: 'How long after its time it was started: no worker ran, or the run before went on' }),
    status: z.string().nullable().meta({ description: 'That of its job; null: it is no longer kept' }),
    statusMessage: z.string().nullable(),
    report: runReport.nullable(),
    createdAt: time,
    completedAt: time.nullable(),
  })
  .meta({ id: 'FeedRun' });

export function presentRun({ createdAt, completedAt, ...run }: FeedRun): z.input<typeof feedRunSchema> {
  return { ...run, createdAt: createdAt.toISOString(), completedAt: completedAt?.toISOString() ?? null };
}

export const feedFileSchema = z
  .object({
    name: z.string(),
    checksum: z.string().meta({ description: 'SHA-256 of its bytes' }),
    bytes: z.number(),
    jobId: z.string().meta({ description: 'The job that imports it' }),
    runId: z.string().meta({ description: 'The job of the run that has taken it' }),
    takenAt: time,
    clearedAt: time.nullable().meta({ description: 'When it was moved or deleted' }),
  })
  .meta({ id: 'FeedFile' });

type TakenFile = Awaited<ReturnType<typeof listTakenFiles>>['rows'][number];

export function presentTakenFile(file: TakenFile): z.input<typeof feedFileSchema> {
  const { name, checksum, bytes, job_id: jobId, run_id: runId, taken_at, cleared_at } = file;
  const times = { takenAt: taken_at.toISOString(), clearedAt: cleared_at?.toISOString() ?? null };
  return { name, checksum, bytes, jobId, runId, ...times };
}

export const feedTestSchema = z
  .object({
    reached: z.boolean(),
    failure: failureSchema.nullable().meta({ description: 'Why not' }),
    hostKey: z
      .string()
      .nullable()
      .meta({ description: 'Of an SFTP server without a given key: the one that it has shown' }),
    seen: z.int().meta({ description: 'How many files match' }),
    more: z.boolean().meta({ description: 'There are more than are looked at' }),
    files: z
      .array(
        z.object({
          name: z.string(),
          bytes: z.number().nullable(),
          modifiedAt: time.nullable(),
          fate: z.enum(['NEW', 'KNOWN', 'WAITING', 'REFUSED']).meta({
            description: 'NEW: a run would take it, unless it is still being written. KNOWN: it was taken before',
          }),
          reason: z.string().nullable(),
        }),
      )
      .meta({ description: 'The first 100' }),
  })
  .meta({ id: 'FeedTest' });

export function presentTest({ files, ...test }: FeedTest): z.input<typeof feedTestSchema> {
  const shown = files.map(({ modifiedAt, ...file }) => ({ ...file, modifiedAt: modifiedAt?.toISOString() ?? null }));
  return { reached: test.failure === null, ...test, files: shown };
}
