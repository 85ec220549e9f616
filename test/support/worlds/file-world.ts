/** An API to which files are announced and uploaded, and what lies behind it: rows, stored bytes, the queue. */
import assert from 'node:assert/strict';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import { until } from '../until.js';
import { storedIn } from './stored-in.js';
import { startTestApi, type TestApi, type TestApiOptions } from './test-api.js';

const DAY_MS = 86_400_000;

export interface Announced {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly locale: string | null;
  readonly location: string;
  readonly expiresAt: string;
  readonly jobId: string;
  readonly createdAt: string;
  readonly partBytes: number | null;
}

export interface FilesError {
  readonly message: string;
  readonly type: string;
  readonly errors: readonly { readonly type: string; readonly message: string; readonly path?: string }[];
}

type UploadBody = NonNullable<RequestInit['body']>;

export interface FileWorld {
  readonly api: TestApi;
  ask(body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Announces an ITEM_IMPORT and fails when that is refused. */
  announce(over?: Record<string, unknown>, headers?: Record<string, string>): Promise<Announced>;
  put(location: string, body: UploadBody, headers?: Record<string, string>): Promise<Response>;
  /** An uploaded file. */
  uploaded(content: string | Buffer<ArrayBuffer>, over?: Record<string, unknown>): Promise<Announced>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  file(id: string): Promise<File>;
  job(id: string): Promise<Job>;
  /** The names of everything that lies under uploads in the store, unfinished files too. */
  stored(): Promise<string[]>;
  isEnqueued(jobId: string): Promise<boolean>;
  /** Fails unless the file and its job are as they were announced, and nothing is stored or enqueued. */
  untouched(file: Announced): Promise<void>;
  /** Resolves when the API has begun to store an upload of the file. */
  underWay(file: Announced): Promise<void>;
  /** Removes what uploads have left in the store. */
  empty(): Promise<void>;
}

/**
 * To be stopped (`api.stop`) in `after`.
 * @param files `in a folder`: for tests that see bytes there before the upload is complete
 */
export async function startFileWorld(
  environment: Readonly<Record<string, string>> = {},
  files: TestApiOptions['files'] = 'through the API',
): Promise<FileWorld> {
  const api = await startTestApi({ environment, files });
  const ask = (body: unknown, headers = api.headers()) =>
    api.fetch('/files/product', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const announce = async (over: Record<string, unknown> = {}, headers?: Record<string, string>) => {
    const response = await ask({ fileName: 'items.csv', fileType: 'ITEM_IMPORT', ...over }, headers);
    if (response.status !== 200) throw new Error(`refused: ${response.status} ${await response.text()}`);
    return (await response.json()) as Announced;
  };
  const put = (location: string, body: UploadBody, headers: Record<string, string> = {}) =>
    fetch(location, { method: 'PUT', body, headers });
  const world: FileWorld = {
    api,
    ask,
    announce,
    put,
    uploaded: async (content, over) => {
      const file = await announce(over);
      const response = await put(file.location, content);
      if (response.status !== 200) throw new Error(`refused: ${response.status} ${await response.text()}`);
      return file;
    },
    get: (path, headers = api.headers()) => api.fetch(path, { headers }),
    file: async (id) => File.query(api.db).findById(id).throwIfNotFound(),
    job: async (id) => Job.query(api.db).findById(id).throwIfNotFound(),
    stored: () => storedIn(api.services.config, 'uploads'),
    isEnqueued: (jobId) => api.services.producer.isPending(planJob, { jobId, dispatch: 1 }),
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
          // What was received of it is not in S3 before it is complete.
          const isSeen = api.services.config.storage.s3 !== undefined || (await world.stored()).length > 0;
          return expires > Date.now() + DAY_MS - 60_000 && isSeen;
        },
        20_000,
      ),
    empty: async () => {
      for (const name of await world.stored()) await api.services.fileStore.remove(`uploads/${name}`);
    },
  };
  return world;
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
