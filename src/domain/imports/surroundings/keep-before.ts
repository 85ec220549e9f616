/** Keeps what a job changes around the catalog, in the transaction of each change, so that the job can be taken back. */
import type { Knex } from 'knex';
import { isSameSurrounding, type SurroundingKind } from '../../changes/model/surrounding-image.js';
import { recordSurroundingChange } from '../../changes/surrounding-changes.js';
import { presentSurroundings } from './present-surroundings.js';

interface ChangingJob {
  readonly siteId: number;
  readonly jobId: string;
}

/**
 * @param key of what is changed or deleted, or which is to be created again; null: it gets its key when it is created
 * @param write makes the change, and returns the key
 */
export async function keepBefore(
  trx: Knex.Transaction,
  { siteId, jobId }: ChangingJob,
  kind: SurroundingKind,
  key: string | null,
  write: () => Promise<string>,
): Promise<void> {
  const [before] = key === null ? [] : await presentSurroundings(trx, siteId, kind, [key], true);
  const written = await write();
  const [after] = await presentSurroundings(trx, siteId, kind, [written]);
  if (isSameSurrounding(kind, before?.image, after?.image)) return;
  const images = { before: before?.image ?? null, after: after?.image ?? null };
  const sealed = after === undefined ? (before?.sealed ?? null) : null;
  await recordSurroundingChange(trx, siteId, { jobId, kind, key: written, ...images }, sealed);
}
