/** Exports that a feed makes: the file is put into the store, and perhaps at the address of a published file. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { FileStore } from '../../platform/file-store.js';
import { DomainError } from '../kernel/errors.js';
import { newId } from '../kernel/identifier.js';
import { type ExportSpec, exportSpecSchema } from './model/export-spec.js';
import { loadAttributes } from './resolve-match.js';
import { resolveExportProfile } from './resolve-profile.js';
import { fileOf } from './run/export-file.js';
import { publishExport } from './run/publish-export.js';
import { writeExport } from './run/write-export.js';
import { ExportRefused } from './write/export-refused.js';

interface StoredExport {
  readonly rows: number;
  readonly bytes: number;
  /** Why it is whole though only what has changed was asked for; null: it was not, or it has only that. */
  readonly whyWhole: string | null;
}

/**
 * The export as it is made now: with the profile of its name as it is today.
 * @param kept as it was resolved when it was saved
 * @throws DomainError not-found, invalid when the profile is gone or cannot be written by
 */
export async function exportOfToday(db: Db, siteId: number, kept: unknown): Promise<ExportSpec> {
  const spec = exportSpecSchema.parse(kept);
  if (spec.entity === 'site' || spec.profile === undefined || spec.profile.name === null) return spec;
  const { entity, formatting } = spec;
  const attributes = entity === 'product' || entity === 'bundle' ? await loadAttributes(db, siteId) : [];
  const asked = { entity, given: spec.profile.name, formatting, attributes };
  const profile = await resolveExportProfile(db, siteId, asked);
  return { ...spec, profile } as ExportSpec;
}

/**
 * Writes the file under a key of the store; it appears when it is complete.
 * @throws DomainError when it cannot be written as it was asked for; errors of the database or of the store
 */
export async function storeExport(
  services: { readonly db: Db; readonly fileStore: FileStore },
  site: { readonly siteId: number; readonly channel: number | null },
  spec: ExportSpec,
  key: string,
  signal: AbortSignal,
): Promise<StoredExport> {
  try {
    const { rows, whyWhole } = await writeExport(services, site, spec, key, signal, { begun: () => undefined });
    return { rows, bytes: await services.fileStore.requireSize(key), whyWhole };
  } catch (error) {
    if (!(error instanceof ExportRefused)) throw error;
    const { reason, message } = error;
    const todo =
      reason === 'DEFINITIONS_CHANGED' ? 'save the feed again with its export, so that it is checked anew: ' : '';
    throw new DomainError('unprocessable', reason, `${todo}${message}`);
  }
}

interface Published {
  readonly publishedFileId: string;
  readonly siteId: number;
  readonly jobId: string;
  readonly key: string;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly readAt: Date;
}

/**
 * Puts a stored export at the address of a published file. The job is kept as long as it is found there.
 * @returns why it is not there; undefined: it is
 */
export async function publishStored(
  trx: Knex.Transaction,
  kept: unknown,
  { publishedFileId, siteId, jobId, key, name, rows, bytes, readAt }: Published,
): Promise<string | undefined> {
  const spec = exportSpecSchema.parse(kept);
  const { type, contentType } = fileOf(spec, readAt);
  const id = newId();
  await trx('file').insert({
    ...{ id, site_id: siteId, type, name, locale: spec.formatting.locale, status: 'UPLOADED', bytes },
    ...{ storage_key: key, content_type: contentType, job_id: jobId, uploaded_at: trx.fn.now() },
  });
  return publishExport(trx, { publishedFileId, fileId: id, jobId, rows, readAt });
}
