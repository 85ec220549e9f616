/** A feed, its runs and its files, as clients see them. */
import { z } from 'zod';
import type { FoundFeed } from '../../domain/feeds/feeds.js';
import type { listTakenFiles } from '../../domain/feeds/known-files.js';
import type { FeedRun } from '../../domain/feeds/list-runs.js';
import { failureSchema } from '../../domain/feeds/model/feed.js';
import { isBreakerOpen } from '../../domain/feeds/model/feed-failure.js';
import { deliveryReport, FEED_CONTENTS, RUN_CAUSES, runReport } from '../../domain/feeds/model/feed-run-job.js';
import { FEED_DIRECTIONS, FEED_STATES, feedFileType, TAKES } from '../../domain/feeds/model/feed-settings.js';
import { nextRuns } from '../../domain/feeds/model/schedule.js';
import type { FeedTest } from '../../domain/feeds/test-feed.js';

/** Times of the schedule that are shown. */
const SHOWN_TIMES = 5;
const time = z.iso.datetime();
const json = z.record(z.string(), z.unknown());

export const feedRunSchema = z
  .object({
    jobId: z.string(),
    cause: z.enum(RUN_CAUSES).meta({
      description:
        'RETRY: the run or look before has failed, or left a file that was not complete, and it is no time of the schedule. AFTER: imports of the source after which it runs have ended. ARRIVAL: a look has found something new. TRIGGER: its address was called',
    }),
    lateByMinutes: z
      .int()
      .meta({ description: 'How long after its time it was started: no worker ran, or the run before went on' }),
    status: z.string().nullable().meta({ description: 'That of its job; null: it is no longer kept' }),
    statusMessage: z.string().nullable(),
    report: runReport.nullable().meta({ description: 'Of a source: what it has found' }),
    delivery: deliveryReport.nullable().meta({ description: 'Of a destination: what it has sent' }),
    imports: z
      .object({
        jobs: z.int(),
        unended: z.int(),
        created: z.int(),
        updated: z.int(),
        removed: z
          .int()
          .meta({ description: 'Items that files with a snapshot lack, and that were deleted or changed' }),
        failed: z.int().meta({ description: 'Rows' }),
        awaiting: z.int().meta({ description: 'Jobs that wait for an approval' }),
        notImported: z
          .int()
          .meta({ description: 'Jobs that have ended as REJECTED, FAILED, CANCELLED or EXPIRED: see take-again' }),
        brake: z
          .object({ jobs: z.int(), jobId: z.string(), fileName: z.string(), message: z.string() })
          .nullable()
          .meta({
            description:
              'How many jobs have removed nothing because of the brake (SNAPSHOT_BRAKE), and what the first of them says; null: none',
          }),
        firstJobIds: z.array(z.string()),
      })
      .meta({ description: 'What has become of the files that it has taken: their jobs, as far as kept, and rows' }),
    createdAt: time,
    completedAt: time.nullable(),
  })
  .meta({ id: 'FeedRun' });

export function presentRun({ createdAt, completedAt, imports, ...run }: FeedRun): z.input<typeof feedRunSchema> {
  const imported = { ...imports, firstJobIds: [...imports.firstJobIds] };
  const times = { createdAt: createdAt.toISOString(), completedAt: completedAt?.toISOString() ?? null };
  return { ...run, imports: imported, ...times };
}

export const feedSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    direction: z.enum(FEED_DIRECTIONS),
    connection: json.meta({ description: 'As it was sent, with its kind; never with a secret' }),
    hasSecret: z.boolean().meta({ description: 'Whether a secret is stored' }),
    fileType: feedFileType
      .nullable()
      .meta({ description: 'Of sources; null of destinations, like all members of sources' }),
    locale: z.string().nullable(),
    options: json.nullable().meta({ description: 'As of an announcement' }),
    pick: z
      .object({
        pattern: z.string(),
        take: z.enum(TAKES),
        doneMarker: z.string().nullable(),
        settleSeconds: z.int(),
      })
      .nullable(),
    afterwards: z.union([z.enum(['leave', 'delete']), z.object({ moveTo: z.string() })]).nullable(),
    export: json.nullable().meta({ description: 'Of destinations; null of sources, like all members of destinations' }),
    content: z.enum(FEED_CONTENTS).nullable(),
    fileName: z.string().nullable(),
    keep: z.int().nullable(),
    whenEmpty: z.enum(['SKIP', 'WRITE']).nullable(),
    after: z.object({ feed: z.string() }).nullable(),
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
    lastRun: feedRunSchema.nullable(),
    lastLookAt: time.nullable().meta({ description: 'With everySeconds: when it was looked at last' }),
    lastFileAt: time.nullable().meta({ description: 'When a run that took or sent a new file ended last' }),
    failures: z.int().meta({ description: 'How many runs have failed one after another' }),
    breaker: z.enum(['CLOSED', 'OPEN']).meta({
      description:
        'OPEN: it has failed five times one after another, and its schedule and its trigger wait for the next try, which nextRunAt says',
    }),
    lastFailure: failureSchema
      .nullable()
      .meta({ description: 'Why the last run has failed, or what is wrong with one of its files' }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Feed' });

export function presentFeed(feed: FoundFeed): z.input<typeof feedSchema> {
  const { id, name, direction, connection, schedule, state, channel } = feed;
  return {
    ...{ id, name, direction, connection: { ...connection }, hasSecret: feed.secrets !== null },
    ...presentSource(feed),
    ...presentDestination(feed),
    schedule,
    nextRunAt: feed.next_run_at?.toISOString() ?? null,
    nextTimes: nextTimesOf(schedule, feed.now),
    ...{ expectWithinMinutes: feed.expect_within_minutes, state, pauseReason: feed.pause_reason },
    ...{ savedBy: feed.saver_name, channel, version: feed.version, lastJobId: feed.last_job_id },
    lastRunAt: feed.last_run_at?.toISOString() ?? null,
    lastRun: feed.lastRun === null ? null : presentRun(feed.lastRun),
    lastLookAt: feed.looked_at?.toISOString() ?? null,
    lastFileAt: feed.last_file_at?.toISOString() ?? null,
    ...presentFailure(feed),
    createdAt: feed.created_at.toISOString(),
    updatedAt: feed.updated_at.toISOString(),
  };
}

function presentFailure(feed: FoundFeed): Pick<z.input<typeof feedSchema>, 'failures' | 'breaker' | 'lastFailure'> {
  const { failures, last_failure: last } = feed;
  const lastFailure = last === null ? null : { code: last.code, message: last.message };
  return { failures, breaker: isBreakerOpen(feed) ? 'OPEN' : 'CLOSED', lastFailure };
}

function presentSource(feed: FoundFeed) {
  if (feed.direction === 'DESTINATION') {
    return { fileType: null, locale: null, options: null, pick: null, afterwards: null };
  }
  const { file_type: fileType, locale, options, pick, afterwards } = feed;
  return { fileType, locale, options: { ...options }, pick, afterwards };
}

function presentDestination(feed: FoundFeed) {
  if (feed.direction === 'SOURCE') {
    return { export: null, content: null, fileName: null, keep: null, whenEmpty: null, after: null };
  }
  const { content, fileName, keep, whenEmpty } = feed.destination;
  const after = feed.after_name === null ? null : { feed: feed.after_name };
  return { export: { ...feed.destination.export }, content, fileName, keep, whenEmpty, after };
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
    reached: z.boolean().meta({ description: 'false as well when only a schedule was sent' }),
    failure: failureSchema.nullable().meta({ description: 'Why not' }),
    hostKey: z.string().nullable().meta({
      description:
        'Of an SFTP server without a given key: the one that it has shown, also when it refuses the login. Without a secret, the server is asked for its key alone',
    }),
    nextTimes: z.array(time).meta({ description: 'The next times of the schedule of the body or of the saved feed' }),
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
    writable: z.boolean().nullable().meta({
      description: 'Of a destination: whether a small file could be written; null: of a source, or not tried',
    }),
    untried: z.boolean().optional().meta({
      description:
        'Of a destination by https: true if its address answers. Nothing was sent, because each file that is put there is a delivery',
    }),
    left: z
      .string()
      .nullable()
      .meta({ description: 'The name of that file, if it could not be removed again: older files cannot be either' }),
  })
  .meta({ id: 'FeedTest' });

export function presentTest(
  { files, ...test }: FeedTest,
  reached: boolean,
  schedule: FoundFeed['schedule'],
): z.input<typeof feedTestSchema> {
  const shown = files.map(({ modifiedAt, ...file }) => ({ ...file, modifiedAt: modifiedAt?.toISOString() ?? null }));
  return { reached, ...test, nextTimes: nextTimesOf(schedule, new Date()), files: shown };
}

function nextTimesOf(schedule: FoundFeed['schedule'], now: Date): string[] {
  return schedule === null ? [] : nextRuns(schedule, now, SHOWN_TIMES).map((at) => at.toISOString());
}
