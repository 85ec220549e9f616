/** Events that are emitted when a job ends. */
import { z } from 'zod';
import { defineEventType } from './event-type.js';

const time = z.iso.datetime().nullable();
const count = z.int().min(0);

const part = { created: count, updated: count, unchanged: count, notInArchive: count };

/** The fields that GET /jobs/{id} shows but `outcome`, `inputFileName`, `submittedBy`, `decision` and `request`, and jobId, the name of the id in events. A long error summary, and a long list of warnings,
 * is truncated, and options that are longer than a payload may be are left out. */
const payload = z.strictObject({
  jobId: z.string(),
  id: z.string(),
  type: z.string(),
  status: z.enum(['COMPLETED', 'COMPLETED_PARTIALLY', 'REJECTED', 'FAILED', 'CANCELLED', 'EXPIRED']),
  statusMessage: z.string().nullable(),
  reason: z.string().nullable().meta({ description: 'Machine-readable reason of REJECTED and FAILED' }),
  inputFileId: z.string().nullable(),
  outputFiles: z.array(z.string()),
  errorFiles: z.array(z.string()),
  progressTracker: z.strictObject({
    totalCount: count.nullable(),
    processedCount: count,
    createdCount: count,
    updatedCount: count,
    unchangedCount: count,
    errorCount: count,
    updatedAt: time,
  }),
  errorSummary: z.array(
    z.strictObject({
      code: z.string(),
      path: z.string().nullable(),
      count: count.meta({ description: 'The number of rows: one with two such errors counts once' }),
      rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"' }),
      example: z.string(),
    }),
  ),
  warnings: z
    .array(
      z.strictObject({
        code: z.string(),
        path: z.string().nullable(),
        count,
        rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"; "all" for an empty column' }),
        example: z.string(),
      }),
    )
    .meta({ description: 'What was noticed about rows that were applied' }),
  createdAt: time,
  startedAt: time,
  completedAt: time,
  options: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The options that the job was given; empty if they are longer than a payload may be' }),
  profile: z
    .strictObject({ name: z.string().nullable(), version: z.int().nullable() })
    .nullable()
    .meta({ description: 'The import profile by which its file was read; null: none' }),
  created: z
    .strictObject({ attributes: count, options: count, categories: count, assignments: count })
    .optional()
    .meta({
      description: 'The definitions that it has created for its rows, or would create; absent: none were asked for',
    }),
  removal: z
    .strictObject({
      ...{ inScope: count, missing: count, removed: count, kept: count, stopped: z.boolean() },
      waits: z.literal(true).optional(),
      supersededBy: z.string().optional(),
      supersedes: z.array(z.string()).optional(),
    })
    .optional()
    .meta({ description: 'What became of the items that its file lacks; absent: it has no snapshot' }),
  archive: z
    .strictObject({
      attributes: z.strictObject(part),
      categories: z.strictObject(part),
      profiles: z.strictObject(part),
      webhooks: z.strictObject({ ...part, elsewhere: count }),
      settings: z.enum(['CHANGED', 'UNCHANGED']),
      items: z.strictObject({ notInArchive: count }),
    })
    .optional()
    .meta({ description: 'What the import of an archive did besides its items, or would do; absent: nothing' }),
});

const IMPORTED: z.input<typeof payload> = {
  jobId: '6920e1f0a1b2c3d4e5f60718',
  id: '6920e1f0a1b2c3d4e5f60718',
  type: 'ITEM_IMPORT',
  status: 'COMPLETED_PARTIALLY',
  statusMessage: '1 of 3 rows failed',
  reason: null,
  inputFileId: '6920e1f0a1b2c3d4e5f60719',
  outputFiles: [],
  errorFiles: ['6920e1f0a1b2c3d4e5f6071a'],
  progressTracker: {
    totalCount: 3,
    processedCount: 3,
    createdCount: 2,
    updatedCount: 0,
    unchangedCount: 0,
    errorCount: 1,
    updatedAt: '2026-11-21T09:00:02.000Z',
  },
  errorSummary: [{ code: 'VALUE_TYPE', path: 'Price', count: 1, rows: '3', example: '"abc" is not a number' }],
  warnings: [
    {
      ...{ code: 'VALUE_TRIMMED', path: 'SKU', count: 1, rows: '2' },
      example: '" A-1" was stored as "A-1", without the blanks around it',
    },
  ],
  createdAt: '2026-11-21T09:00:00.000Z',
  startedAt: '2026-11-21T09:00:01.000Z',
  completedAt: '2026-11-21T09:00:02.000Z',
  options: { mode: 'upsert', onError: 'skip', validateOnly: false },
  profile: null,
};

export const jobCompleted = defineEventType({
  name: 'JOB_COMPLETED',
  source: 'CATALOG',
  audience: 'subscribers',
  description: 'a job ended as COMPLETED or COMPLETED_PARTIALLY',
  payload,
  example: IMPORTED,
});

export const jobAwaitingApproval = defineEventType({
  name: 'JOB_AWAITING_APPROVAL',
  source: 'CATALOG',
  audience: 'subscribers',
  description: 'a job was previewed, and waits until somebody approves or rejects it',
  payload: payload.extend({
    status: z.literal('AWAITING_APPROVAL'),
    changesUrl: z.string().meta({ description: 'The path of what it would change' }),
  }),
  example: {
    ...IMPORTED,
    status: 'AWAITING_APPROVAL',
    statusMessage: 'would create 2 items; waits for POST /jobs/{id}/actions/approve or reject',
    completedAt: null,
    options: { mode: 'upsert', onError: 'skip', validateOnly: false, requireApproval: true },
    changesUrl: '/jobs/6920e1f0a1b2c3d4e5f60718/changes',
  },
});

export const jobFailed = defineEventType({
  name: 'JOB_FAILED',
  source: 'CATALOG',
  audience: 'subscribers',
  description: 'a job ended as REJECTED, FAILED, CANCELLED or EXPIRED',
  payload,
  example: {
    ...IMPORTED,
    status: 'REJECTED',
    reason: 'EMPTY_FILE',
    statusMessage: 'the file is empty',
    errorFiles: [],
    errorSummary: [],
    warnings: [],
  },
});

export const exportReady = defineEventType({
  name: 'EXPORT_READY',
  source: 'CATALOG',
  audience: 'subscribers',
  description: 'the file of an export is ready for download',
  payload,
  example: {
    ...IMPORTED,
    type: 'ITEM_EXPORT',
    status: 'COMPLETED',
    statusMessage: null,
    inputFileId: null,
    outputFiles: ['6920e1f0a1b2c3d4e5f6071b'],
    errorFiles: [],
    errorSummary: [],
    warnings: [],
    progressTracker: { ...IMPORTED.progressTracker, createdCount: 0, errorCount: 0 },
  },
});
