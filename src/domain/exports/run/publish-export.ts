/** Puts the file of an export at the address that its request named. */
import type { Knex } from 'knex';

interface Publication {
  readonly publishedFileId: string;
  readonly fileId: string;
  readonly jobId: string;
  readonly rows: number;
  /** When the export began to read: an older export that ends later replaces nothing. */
  readonly readAt: Date;
}

/**
 * Belongs to the transaction that ends the export, so that the address has either file whole.
 * @returns why the file is not there; undefined: it is
 */
export async function publishExport(
  trx: Knex.Transaction,
  { publishedFileId, fileId, jobId, rows, readAt }: Publication,
): Promise<string | undefined> {
  const place: { when_empty: string; read_at: Date | null } | undefined = await trx('published_file')
    .where({ id: publishedFileId })
    .forNoKeyUpdate()
    .first('when_empty', 'read_at');
  if (place === undefined) return 'it is not published: the address was deleted meanwhile';
  if (place.read_at !== null && place.read_at > readAt) return 'it is not published: a newer export is at the address';
  if (rows === 0 && place.when_empty === 'SKIP') return 'it is not published: it has no rows, and the last file stays';
  await trx('published_file')
    .where({ id: publishedFileId })
    .update({ file_id: fileId, job_id: jobId, row_count: rows, read_at: readAt, published_at: trx.fn.now() });
  return undefined;
}
