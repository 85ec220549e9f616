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
      description: 'Of exports by filter: `since: {cursor}` of a later one exports what has changed after this one',
    }),
    content: z.enum(['WHOLE', 'DELTA']).optional().meta({
      description:
        'Of exports with `since` that have ended. DELTA: what has changed. WHOLE: all that the export selects, without the column `_operation`, which replaces what was exported before, because definitions were changed so that records are written otherwise which were not changed themselves; statusMessage says which',
    }),
  })
  .meta({ id: 'ExportResult' });

export function presentExportResult(
  job: Pick<JobRow, 'id' | 'status' | 'status_message' | 'total_count' | 'output_file_id' | 'options' | 'plan'>,
): z.input<typeof exportResultSchema> {
  const { cursor, since }: { readonly cursor?: unknown; readonly since?: unknown } = Object(job.options);
  const { whyWhole }: { readonly whyWhole?: unknown } = Object(job.plan);
  const asksForChanges = since !== undefined && job.output_file_id !== null;
  return {
    jobId: job.id,
    status: job.status,
    statusMessage: job.status_message,
    rowCount: job.total_count,
    outputFiles: job.output_file_id === null ? [] : [job.output_file_id],
    ...(typeof cursor === 'string' ? { cursor } : {}),
    ...(asksForChanges ? { content: whyWhole === undefined ? 'DELTA' : 'WHOLE' } : {}),
  };
}
