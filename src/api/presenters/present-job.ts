/** A job and its outcome, as clients see them. */
import { z } from 'zod';
import { JOB_STATUSES, type JobRow } from '../../../db/models/job.js';
import { approvalOf } from '../../domain/job-model/approval.js';
import { archiveReport } from '../../domain/job-model/archive-report.js';
import { createdDefinitions } from '../../domain/job-model/created-definitions.js';
import { removalReport } from '../../domain/job-model/removal-report.js';
import { showJob } from '../../domain/job-model/show-job.js';
import type { findJob } from '../../domain/jobs/read-job.js';
import { exportRequest, requestIn } from '../export-request.js';

type FoundJob = Awaited<ReturnType<typeof findJob>>;

const time = z.iso.datetime().nullable();

const who = z.object({
  actor: z.string().meta({ description: 'As in the change log: `token:` and the id of the token' }),
  name: z.string().nullable().meta({ description: 'That of the token or person; null: it was deleted since' }),
});

export const jobSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    status: z.enum(JOB_STATUSES),
    statusMessage: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'The machine-readable reason of REJECTED and FAILED' }),
    outcome: z.enum(['NONE_FAILED', 'SOME_FAILED', 'ALL_FAILED']).nullable().meta({
      description:
        'How many of its rows failed, or would fail if it is a dry run (`options.validateOnly`); null: it has not ended, has no rows, or ended before all were judged',
    }),
    inputFileId: z.string().nullable(),
    inputFileName: z.string().nullable().meta({ description: 'The name under which its file was announced' }),
    outputFiles: z.array(z.string()),
    errorFiles: z.array(z.string()),
    progressTracker: z.object({
      totalCount: z.int().nullable(),
      processedCount: z.int(),
      createdCount: z.int(),
      updatedCount: z.int(),
      unchangedCount: z.int(),
      errorCount: z.int(),
      updatedAt: time,
    }),
    errorSummary: z.array(
      z.object({
        code: z.string(),
        path: z.string().nullable(),
        count: z.int().meta({
          description:
            'The number of rows: one with two such errors, which GET /jobs/{id}/errors lists both, counts once',
        }),
        rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"' }),
        example: z.string(),
      }),
    ),
    warnings: z
      .array(
        z.object({
          code: z.string(),
          path: z.string().nullable(),
          count: z.int(),
          rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"; "all" for an empty column' }),
          example: z.string(),
        }),
      )
      .meta({ description: 'What was noticed about rows that were applied; a warning changes no outcome' }),
    createdAt: time,
    startedAt: time,
    completedAt: time,
    options: z.record(z.string(), z.unknown()).meta({
      description:
        'The options that the job was given, with the defaults of those that were left out; without callbackUrl, which may contain a secret',
    }),
    profile: z
      .object({
        name: z.string().nullable().meta({ description: 'null: it came with the request, and is not saved' }),
        version: z.int().nullable(),
      })
      .nullable()
      .meta({ description: 'The import profile by which its file is read; null: none' }),
    archive: archiveReport.optional().meta({
      description:
        'Of a SITE_IMPORT: what it did besides its items, or would do; `notInArchive` is what the stage has besides, and keeps',
    }),
    request: exportRequest.optional().meta({
      description:
        'Of an export: what it was asked for besides `options` and `profile`, without callbackUrl. Absent: it is no export, the request had more than 20,000 characters, or it was made before this was kept',
    }),
    submittedBy: who.nullable().meta({
      description: 'Who has sent it; null: the system, or a job from before this was recorded',
    }),
    decision: z
      .object({
        approved: z.boolean(),
        by: who.nullable().meta({ description: 'null: the rule of the stage, because little would change' }),
        at: time.meta({ description: 'null where `by` is' }),
        note: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Of a job that needs an approval: what was decided; null: nothing yet, or it needs none' }),
    removal: removalReport.optional().meta({
      description:
        'Of a file or request with `snapshot`: the items in its scope, those of them that the file lacks, and how many were removed or kept. Of a dry run, what would be; `stopped`: the brake holds, or would; `waits`: the rows were applied, and the removal waits for an approval; `supersededBy`: the newer job of the same scope, because of which nothing is removed; `supersedes`: the older jobs that remove nothing because of this one. Absent: it has not come to that',
    }),
    created: createdDefinitions.optional().meta({
      description:
        'How many definitions it has created before its rows, or would have created if it is a dry run. Absent: it was not asked to, or has created none because it was not executed or was undone',
    }),
  })
  .meta({ id: 'Job' });

/** A job that was read for a client. */
export function presentJob(job: FoundJob): z.input<typeof jobSchema> {
  return {
    ...showJob(job),
    ...requestOf(job),
    outcome: outcomeOf(job),
    inputFileName: job.input_file_name,
    submittedBy: job.actor === null ? null : { actor: job.actor, name: job.actor_name },
    decision: decisionOf(job),
  };
}

function requestOf({ options, channel }: FoundJob): Pick<z.input<typeof jobSchema>, 'request'> {
  const request = requestIn(options, channel);
  return request === undefined ? {} : { request };
}

/** One that was rejected keeps the state of its preview. */
function decisionOf({ options, decider_name: name }: FoundJob): z.input<typeof jobSchema>['decision'] {
  const approval = approvalOf(options);
  const approved = approval?.state === 'approved';
  if (approval === undefined || (!approved && approval.at === undefined)) return null;
  const { by, at = null, note = null } = approval;
  return { approved, by: by === undefined ? null : { actor: by, name }, at, note };
}

function outcomeOf({ status, error_count: failed, processed_count: rows }: JobRow) {
  const isJudged = status === 'COMPLETED' || status === 'COMPLETED_PARTIALLY' || status === 'AWAITING_APPROVAL';
  if (!isJudged || rows === 0) return null;
  if (failed === 0) return 'NONE_FAILED';
  return failed === rows ? 'ALL_FAILED' : 'SOME_FAILED';
}
