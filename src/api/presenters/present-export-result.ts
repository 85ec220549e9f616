/** The result of an export, for a client that waited for it. */
import { z } from 'zod';
import type { JobRow } from '../../../db/models/job.js';
import { jobSchema } from './present-job.js';

export const exportResultSchema = z
  .object({
    jobId: z.string(),
    status: jobSchema.shape.status,
    statusMessage: z.string().nullable(),
    rowCount: z.int().nullable(),
    outputFiles: z
      .array(z.string())
      .meta({ description: 'The id of the file; GET /files/product/{id}/actions/download answers its URL' }),
    cursor: z.string().optional().meta({
      description:
        'Of exports of items by filter: `since: {cursor}` of a later one exports what has changed after this one',
    }),
  })
  .meta({ id: 'ExportResult' });

export function presentExportResult(
  job: Pick<JobRow, 'id' | 'status' | 'status_message' | 'total_count' | 'output_file_id' | 'options'>,
): z.input<typeof exportResultSchema> {
  const { cursor }: { readonly cursor?: unknown } = Object(job.options);
  return {
    jobId: job.id,
    status: job.status,
    statusMessage: job.status_message,
    rowCount: job.total_count,
    outputFiles: job.output_file_id === null ? [] : [job.output_file_id],
    ...(typeof cursor === 'string' ? { cursor } : {}),
  };
}
