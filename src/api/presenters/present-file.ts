/** A file as clients see it. */
import { z } from 'zod';
import type { File } from '../../../db/models/file.js';
import { EXPORT_TYPES } from '../../domain/exports/model/export-job.js';
import { IMPORT_FILES } from '../../domain/imports/model/import-jobs.js';

export const FILE_STATUSES = ['AWAITING_UPLOAD', 'UPLOADED', 'EXPIRED', 'DELETED'] as const;

/** The types that the list can be asked for. */
export const FILE_TYPES = [...IMPORT_FILES, 'ERROR_FILE', ...Object.values(EXPORT_TYPES)] as const;

const time = z.iso.datetime().nullable();

export const fileSchema = z
  .object({
    id: z.string(),
    type: z
      .string()
      .meta({ description: 'The file type: what it is imported as, ERROR_FILE, or the type of an export' }),
    name: z.string(),
    locale: z.string().nullable(),
    status: z.enum(FILE_STATUSES),
    bytes: z.int().nullable(),
    contentType: z.string().nullable(),
    jobId: z.string().nullable().meta({ description: 'The job that imports it, or that wrote it' }),
    createdAt: z.iso.datetime(),
    uploadedAt: time,
    expiresAt: time.meta({
      description:
        'When it expires unless it is uploaded, or imported if it is held; when its bytes are deleted if it was rejected',
    }),
  })
  .meta({ id: 'File' });

export function presentFile(file: File): z.input<typeof fileSchema> {
  return {
    id: file.id,
    type: file.type,
    name: file.name,
    locale: file.locale,
    status: file.status,
    bytes: file.bytes,
    contentType: file.content_type,
    jobId: file.job_id,
    createdAt: file.created_at.toISOString(),
    uploadedAt: file.uploaded_at?.toISOString() ?? null,
    expiresAt: file.expires_at?.toISOString() ?? null,
  };
}
