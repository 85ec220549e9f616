/** A client of the API, as one account sees it. Every answer that is not the expected one is an error. */
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import type { Credentials } from '../../src/launcher/credentials.js';

/** Not within this time: something is wrong, and a benchmark that waits for ever says nothing. */
const JOB_ENDS_WITHIN_MS = 15 * 60_000;
/** The data set of a client that is not said to have another. */
export const FIRST_STAGE = 'production';

export interface JobView {
  readonly id: string;
  readonly status: string;
  readonly statusMessage: string | null;
  readonly inputFileId: string | null;
  readonly completedAt: string | null;
  readonly progressTracker: Readonly<Record<'totalCount' | 'createdCount' | 'unchangedCount' | 'errorCount', number>>;
}

export interface ApiClient {
  readonly account: string;
  post<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<T>;
  /** Sends a body that is JSON text already. */
  postText<T>(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<T>;
  get<T>(path: string, headers?: Record<string, string>): Promise<T>;
  /** Uploads to a signed URL. */
  put(location: string, body: Readable, bytes: number): Promise<void>;
  /** Waits for the end of a job, by asking for it with `Prefer: wait`. @throws when it ends in another status */
  jobEnd(jobId: string, expected?: string): Promise<JobView>;
  /** The same account's other data set, over the same connections. */
  atStage(stage: string): ApiClient;
  /** Ends its connections, whatever is still on them. */
  destroy(): Promise<void>;
}

export type Access = Pick<Credentials, 'baseUrl' | 'account' | 'token'>;

/** @param connections kept open at most @param stage the account's data set */
export function openClient({ baseUrl, account, token }: Access, connections = 16, stage = FIRST_STAGE): ApiClient {
  const pool = new Pool(baseUrl, { connections, headersTimeout: 120_000, bodyTimeout: 120_000 });
  return clientOn(pool, { account, token }, stage);
}

function clientOn(pool: Pool, access: Omit<Access, 'baseUrl'>, stage: string): ApiClient {
  const { account, token } = access;
  const common = {
    authorization: `Bearer ${token}`,
    'x-site-context': JSON.stringify({ account, stage }),
  };

  async function ask<T>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    headers: Record<string, string>,
    body: string | Buffer | Readable | null,
  ): Promise<T> {
    const response = await pool.request({ method, path, headers, body });
    const text = await response.body.text();
    if (response.statusCode >= 300) {
      throw new Error(`${method} ${path} answered ${response.statusCode}: ${text.slice(0, 500)}`);
    }
    return JSON.parse(text) as T;
  }

  const postText = <T>(path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    ask<T>('POST', path, { ...common, 'content-type': 'application/json', ...headers }, body);
  const get = <T>(path: string, headers: Record<string, string> = {}) =>
    ask<T>('GET', path, { ...common, ...headers }, null);

  return {
    account,
    post: (path, body, headers) => postText(path, JSON.stringify(body), headers),
    postText,
    get,
    put: async (location, body, bytes) => {
      const { pathname, search } = new URL(location);
      await ask('PUT', `${pathname}${search}`, { 'content-length': String(bytes) }, body);
    },
    jobEnd: async (jobId, expected = 'COMPLETED') => {
      for (const giveUpAt = Date.now() + JOB_ENDS_WITHIN_MS; ; ) {
        const job = await get<JobView>(`/jobs/${jobId}`, { prefer: 'wait=25' });
        if (job.completedAt === null && Date.now() < giveUpAt) continue;
        if (job.status === expected) return job;
        throw new Error(`job ${jobId} is ${job.status}, not ${expected}: ${job.statusMessage}`);
      }
    },
    atStage: (other) => clientOn(pool, access, other),
    destroy: () => pool.destroy(),
  };
}
