/** The answer to an upload. */
import { z } from 'zod';
import type { File } from '../../../../db/models/file.js';

export const uploaded = z.object({
  id: z.string(),
  name: z.string(),
  bytes: z.int(),
  jobId: z.string(),
  status: z.literal('UPLOADED'),
});

export function presentUploaded({ id, name, bytes, job_id: jobId }: File): z.input<typeof uploaded> {
  return { id, name, bytes: bytes ?? 0, jobId: jobId ?? '', status: 'UPLOADED' };
}
