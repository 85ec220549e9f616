/** Imports a file as a client does: announced, uploaded, waited for. */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { ImportFileOptions, ImportProgress, Job } from '@longshore/client';
import type { World } from './start-world.js';

/** The name of a profile, or a profile itself. */
export type GivenProfile = NonNullable<NonNullable<ImportFileOptions['options']>['profile']>;

export interface Import {
  /** From upload complete to COMPLETED. */
  readonly seconds: number;
  readonly job: Job;
}

/**
 * Imports a file of items by upsert. The upload itself is not timed.
 *
 * The time begins when the API has the last byte (`file.uploaded_at`, taken before that is committed) and ends when the
 * client has the answer that the job is COMPLETED (`GET /jobs/{id}` with `Prefer: wait`), so the enqueueing, every
 * commit and the notice to the client are in it. Both clocks are this machine's.
 * @param onProgress given, the client asks for the job every second or so
 * @param profile how the file becomes one of ours
 */
export async function importFile(
  { client, db }: Pick<World, 'client' | 'db'>,
  path: string,
  onProgress?: (progress: ImportProgress) => void,
  profile?: GivenProfile,
): Promise<Import> {
  const { file, job, outcome } = await client.typed.importFile(await openAsBlob(path), {
    fileName: basename(path),
    options: profile === undefined ? { mode: 'upsert' } : { mode: 'upsert', profile },
    onProgress,
  });
  const endedAt = Date.now();
  if (outcome !== 'applied') throw new Error(`the import of ${path} is ${job.status}: ${job.statusMessage}`);
  const { rows } = await db.query<{ uploaded_at: Date }>('SELECT uploaded_at FROM file WHERE id = $1', [file.id]);
  const uploadedAt = rows[0]?.uploaded_at;
  if (uploadedAt === undefined) throw new Error(`the file ${file.id} is gone`);
  return { seconds: (endedAt - uploadedAt.getTime()) / 1000, job };
}
