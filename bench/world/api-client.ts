/** What benchmarks send requests with, as one account: the typed client, and bare requests where these are what is measured. */
import type { Readable } from 'node:stream';
import { createClient, type Job, type LongshoreClient } from '@longshore/client';
import { Pool } from 'undici';
import type { Credentials } from '../../src/launcher/credentials.js';

/** Not within this time: something is wrong, and a benchmark that waits for ever says nothing. */
const JOB_ENDS_WITHIN_MS = 15 * 60_000;
/** The data set of a client that is not said to have another. */
export const FIRST_STAGE = 'production';

/**
 * `typed` is for all that is not timed request by request: setting up, announcing, uploading, waiting, exporting.
 *
 * What is counted by the second or timed by the microsecond goes over bare sockets: a body that is text already, an
 * answer that is parsed and no more, and as many connections as the benchmark says. The typed client builds headers and
 * keys and streams through `fetch`, on the same two cores as the service, and the figures would be those of both.
 */
export interface ApiClient {
  readonly account: string;
  readonly typed: LongshoreClient;
  /** Sends a body that is JSON text already, over a bare socket. */
  postText<T>(path: string, body: string | Buffer, headers?: Record<string, string>): Promise<T>;
  /** Uploads to a signed URL, over a bare socket. */
  put(location: string, body: Readable, bytes: number): Promise<void>;
  /** Waits for the end of a job. @throws when it ends in another status */
  jobEnd(jobId: string): Promise<Job>;
  /** The same account's other data set, over the same connections. */
  atStage(stage: string): ApiClient;
  /** Ends its connections, whatever is still on them. */
  destroy(): Promise<void>;
}

export type Access = Pick<Credentials, 'baseUrl' | 'account' | 'token'>;

/** @param connections kept open at most @param stage the account's data set */
export function openClient(access: Access, connections = 16, stage = FIRST_STAGE): ApiClient {
  const pool = new Pool(access.baseUrl, { connections, headersTimeout: 120_000, bodyTimeout: 120_000 });
  return clientOn(pool, access, stage);
}

function clientOn(pool: Pool, access: Access, stage: string): ApiClient {
  const { baseUrl, account, token } = access;
  const site = { account, stage };
  const typed = createClient({ baseUrl, token, site });
  const common = { authorization: `Bearer ${token}`, 'x-site-context': JSON.stringify(site) };

  async function ask<T>(
    method: 'POST' | 'PUT',
    path: string,
    headers: Record<string, string>,
    body: string | Buffer | Readable,
  ): Promise<T> {
    const response = await pool.request({ method, path, headers, body });
    const text = await response.body.text();
    if (response.statusCode >= 300) {
      throw new Error(`${method} ${path} answered ${response.statusCode}: ${text.slice(0, 500)}`);
    }
    return JSON.parse(text) as T;
  }

  return {
    account,
    typed,
    postText: (path, body, headers = {}) =>
      ask('POST', path, { ...common, 'content-type': 'application/json', ...headers }, body),
    put: async (location, body, bytes) => {
      const { pathname, search } = new URL(location);
      await ask('PUT', `${pathname}${search}`, { 'content-length': String(bytes) }, body);
    },
    jobEnd: async (jobId) => {
      const signal = AbortSignal.timeout(JOB_ENDS_WITHIN_MS);
      const job = await typed.waitForJob(jobId, { signal }).catch((cause: unknown) => {
        if (!signal.aborted) throw cause;
        throw new Error(`job ${jobId} has not ended within ${JOB_ENDS_WITHIN_MS / 60_000} minutes`, { cause });
      });
      if (job.status === 'COMPLETED') return job;
      throw new Error(`job ${jobId} is ${job.status}, not COMPLETED: ${job.statusMessage}`);
    },
    atStage: (other) => clientOn(pool, access, other),
    destroy: () => pool.destroy(),
  };
}
