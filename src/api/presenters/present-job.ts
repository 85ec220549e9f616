/** A job as clients see it. */
import { z } from 'zod';

export const JOB_STATUSES = [
  'AWAITING_UPLOAD',
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'COMPLETED_PARTIALLY',
  'REJECTED',
  'FAILED',
  'CANCELLATION_IN_PROGRESS',
  'CANCELLED',
  'EXPIRED',
] as const;

const time = z.iso.datetime().nullable();

export const jobSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    status: z.enum(JOB_STATUSES),
    statusMessage: z.string().nullable(),
    reason: z.string().nullable().meta({ description: 'The machine-readable reason of REJECTED and FAILED' }),
    inputFileId: z.string().nullable(),
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
        count: z.int(),
        rows: z.string().meta({ description: 'Row numbers and ranges: "3, 9-120"' }),
        example: z.string(),
      }),
    ),
    createdAt: time,
    startedAt: time,
    completedAt: time,
  })
  .meta({ id: 'Job' });
