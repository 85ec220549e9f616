/** The answers to an upload, and to a part of one. */
import { z } from 'zod';
import type { File } from '../../../../db/models/file.js';

export const uploaded = z.object({
  id: z.string(),
  name: z.string(),
  bytes: z.int(),
  jobId: z.string(),
  status: z.literal('UPLOADED'),
});

/** `bytes` says how many of the file are kept: the next part begins there. */
export const partKept = uploaded.extend({ status: z.literal('AWAITING_UPLOAD') });

export function presentUploaded({ id, name, bytes, job_id: jobId }: File): z.input<typeof uploaded> {
  return { id, name, bytes: bytes ?? 0, jobId: jobId ?? '', status: 'UPLOADED' };
}
