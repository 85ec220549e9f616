/** Imports a file as a client does: announced, uploaded, waited for. */
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ApiClient, JobView } from './api-client.js';
import type { World } from './start-world.js';

export interface Import {
  /** From upload complete to COMPLETED. */
  readonly seconds: number;
  readonly job: JobView;
}

/**
 * Imports a file of items by upsert. The upload itself is not timed.
 *
 * The time begins when the API has the last byte (`file.uploaded_at`, taken before that is committed) and ends when the
 * client has the answer that the job is COMPLETED (`GET /jobs/{id}` with `Prefer: wait`), so the enqueueing, every
 * commit and the notice to the client are in it. Both clocks are this machine's.
 */
export async function importFile({ client, db }: Pick<World, 'client' | 'db'>, path: string): Promise<Import> {
  const { fileId, jobId } = await uploadFile(client, path);
  const job = await client.jobEnd(jobId);
  const endedAt = Date.now();
  const { rows } = await db.query<{ uploaded_at: Date }>('SELECT uploaded_at FROM file WHERE id = $1', [fileId]);
  const uploadedAt = rows[0]?.uploaded_at;
  if (uploadedAt === undefined) throw new Error(`the file ${fileId} is gone`);
  return { seconds: (endedAt - uploadedAt.getTime()) / 1000, job };
}

/** Announces and uploads; the import starts by itself. */
export async function uploadFile(client: ApiClient, path: string): Promise<{ fileId: string; jobId: string }> {
  const announced = await client.post<{ id: string; jobId: string; location: string }>('/files/product', {
    fileName: basename(path),
    fileType: 'ITEM_IMPORT',
    options: { mode: 'upsert' },
  });
  await client.put(announced.location, createReadStream(path, { highWaterMark: 1 << 20 }), statSync(path).size);
  return { fileId: announced.id, jobId: announced.jobId };
}
