/** An API to which files are announced and uploaded, and what lies behind it: rows, stored bytes, the queue. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { File } from '../../../db/models/file.js';
import { Job } from '../../../db/models/job.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import { startTestApi, type TestApi } from './test-api.js';

export interface Announced {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly locale: string | null;
  readonly location: string;
  readonly expiresAt: string;
  readonly jobId: string;
  readonly createdAt: string;
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
  /** The names of everything that lies in the store's folder of uploads, unfinished files too. */
  stored(): Promise<string[]>;
  isEnqueued(jobId: string): Promise<boolean>;
}

/** To be stopped (`api.stop`) in `after`. */
export async function startFileWorld(environment: Readonly<Record<string, string>> = {}): Promise<FileWorld> {
  const api = await startTestApi({ environment });
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
  return {
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
    stored: () => readdir(join(api.services.config.storage.directory, 'uploads')).catch(() => []),
    isEnqueued: (jobId) => api.services.producer.isPending(planJob, { jobId, dispatch: 1 }),
  };
}
