/** A file world for tests that upload byte by byte: requests as bytes, and what an upload leaves behind. */
import assert from 'node:assert/strict';
import { until } from '../until.js';
import { type Announced, type FilesError, type FileWorld, startFileWorld } from './file-world.js';

const DAY_MS = 86_400_000;

export interface UploadWorld extends FileWorld {
  /** Fails unless the file and its job are as they were announced, and nothing is stored or enqueued. */
  untouched(file: Announced): Promise<void>;
  /** Resolves when the API has begun to store an upload of the file. */
  underWay(file: Announced): Promise<void>;
  /** Removes what uploads have left in the store. */
  empty(): Promise<void>;
}

/** To be stopped (`api.stop`) in `after`. */
export async function startUploadWorld(environment: Readonly<Record<string, string>> = {}): Promise<UploadWorld> {
  const world = await startFileWorld(environment);
  return {
    ...world,
    untouched: async ({ id, jobId, expiresAt }) => {
      const { status, storage_key, bytes, expires_at } = await world.file(id);
      assert.deepEqual([status, storage_key, bytes], ['AWAITING_UPLOAD', null, null]);
      assert.equal(expires_at?.toISOString(), expiresAt);
      assert.equal((await world.job(jobId)).status, 'AWAITING_UPLOAD');
      assert.equal(await world.isEnqueued(jobId), false);
      assert.deepEqual(await world.stored(), []);
    },
    underWay: (file) =>
      until(
        'the upload is under way',
        async () => {
          const expires = (await world.file(file.id)).expires_at?.getTime() ?? 0;
          return expires > Date.now() + DAY_MS - 60_000 && (await world.stored()).length > 0;
        },
        5_000,
      ),
    empty: async () => {
      for (const name of await world.stored()) await world.api.services.fileStore.remove(`uploads/${name}`);
    },
  };
}

/** The head of an upload, as bytes. */
export function uploadHead({ location }: Announced, ...headers: string[]): string {
  const { pathname, search } = new URL(location);
  return `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
}

/** Fails unless the answer is an error of the files family. */
export async function assertRefused(response: Response, status: number, type: string, message: RegExp): Promise<void> {
  const error = (await response.json()) as FilesError;
  assert.equal(response.status, status, error.message);
  assert.equal(error.type, type);
  assert.match(error.message, message);
}
