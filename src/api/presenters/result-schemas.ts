/** The schemas of the results of bulk operations. */
import { z } from 'zod';
import { removalReport } from '../../domain/job-model/removal-report.js';
import type { ResponseSpec } from '../define-route.js';
import { exportResultSchema } from './present-export-result.js';

export const rowError = z
  .object({
    code: z.string(),
    path: z.string().nullable(),
    message: z.string(),
    value: z.string().nullable(),
  })
  .meta({ id: 'RowError' });

export const itemResultSchema = z
  .object({
    jobId: z.string(),
    success: z.array(z.object({ sku: z.string().nullable(), itemId: z.string().nullable(), message: z.string() })),
    failed: z.array(
      z.object({
        index: z.int(),
        sku: z.string().nullable(),
        code: z.string(),
        message: z.string(),
        errors: z.array(rowError),
      }),
    ),
    itemIds: z.array(z.string()),
    removal: removalReport.optional().meta({
      description:
        'Of a request with `snapshot`, beside the outcome of its rows: what became of the items that it lacks, as in the job',
    }),
    message: z.string().optional().meta({
      description:
        'What the job says of its end (`statusMessage`), and so of `removal`, beside which alone it is given',
    }),
  })
  .meta({ id: 'ItemResult' });

const attributeResultSchema = z
  .object({
    jobId: z.string(),
    attributes: z.object({
      success: z.array(z.object({ id: z.string().nullable(), name: z.string().nullable(), message: z.string() })),
      failed: z.array(z.object({ index: z.int(), name: z.string().nullable(), errors: z.array(rowError) })),
    }),
  })
  .meta({ id: 'AttributeResult' });

const categoryResultSchema = z
  .object({
    jobId: z.string(),
    categories: z.object({
      success: z.array(
        z.object({
          id: z.string().nullable(),
          nodeId: z.int().nullable(),
          path: z.string().nullable(),
          message: z.string(),
        }),
      ),
      failed: z.array(z.object({ index: z.int(), path: z.string().nullable(), errors: z.array(rowError) })),
    }),
  })
  .meta({ id: 'CategoryResult' });

const paging = { offset: z.int(), limit: z.int(), count: z.int() };

/** A page of the outcome of any job. */
export const resultPageSchema = z
  .union([
    itemResultSchema.extend(paging),
    attributeResultSchema.extend(paging),
    categoryResultSchema.extend(paging),
    exportResultSchema,
  ])
  .meta({ id: 'ResultPage' });

const accepted: ResponseSpec = {
  description:
    'Accepted; Location is the address of the job. With `Prefer: wait` also if the job waits for an approval (`message`), or has ended with too many errors for one answer: `errors` is the address of their pages',
  schema: z
    .object({
      jobId: z.string(),
      status: z.string().meta({ examples: ['SCHEDULED'] }),
      message: z.string().optional(),
      errors: z.string().optional().meta({ description: 'The address of the errors' }),
    })
    .meta({ id: 'AcceptedJob' }),
};

const nothingApplied: ResponseSpec = {
  description:
    'With `Prefer: wait`: every row failed, or nothing was written because of `onError=abort`, or the job was cancelled or has failed',
  schema: z
    .object({
      code: z.literal('STATUS_ERROR'),
      message: z.string(),
      jobId: z.string().meta({ description: 'The job that was executed; its address is in Location' }),
      errors: z.array(z.unknown()),
    })
    .meta({ id: 'NothingApplied' }),
};

/** Elements that failed are in the answer with 200, also where all did. */
const notExecuted: ResponseSpec = {
  ...nothingApplied,
  description: 'With `Prefer: wait`: the job was cancelled or has failed. Elements that failed are answered with 200',
};

/** The answers to bulk requests, by what their rows are. */
export const BULK_RESPONSES: Readonly<Record<'items' | 'attributes' | 'categories', Record<number, ResponseSpec>>> = {
  items: {
    200: { description: 'With `Prefer: wait`: the outcome of each row', schema: itemResultSchema },
    202: accepted,
    422: nothingApplied,
  },
  attributes: {
    200: { description: 'With `Prefer: wait`: the outcome of each element', schema: attributeResultSchema },
    202: accepted,
    422: notExecuted,
  },
  categories: {
    200: { description: 'With `Prefer: wait`: the outcome of each element', schema: categoryResultSchema },
    202: accepted,
    422: notExecuted,
  },
};
