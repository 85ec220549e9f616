/** Requests to the bucket of somebody else, with their credentials and none of ours, to addresses that the guard allows. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { S3Client } from '@aws-sdk/client-s3';
import { type AddressGuard, FORBIDDEN_PORTS } from '../../guard/address-guard.js';
import { sdk } from '../../s3/sdk.js';
import { answered, wholeCallMs } from '../calls.js';
import { connectionFailure } from '../connection-failure.js';
import { type Connection, RemoteFailure, type Secrets } from '../remote-folder.js';
import { s3Failure } from './s3-failure.js';

export type S3Connection = Extract<Connection, { readonly kind: 's3' }>;

export interface S3Options {
  readonly guard: AddressGuard;
  /** How long the store may take for an answer. */
  readonly idleMs: number;
}

/** What was refused for the moment is sent again by the SDK, within the deadline. */
const SEND_ATTEMPTS = 3;
/** What a store takes at least of the bytes of a request, beside the time of one without: 100 KB in a second. */
const LEAST_BYTES_PER_MS = 100;

export class BucketCalls {
  readonly bucket: string;
  readonly idleMs: number;
  readonly #client: S3Client;
  readonly #agents: readonly [HttpAgent, HttpsAgent];

  private constructor(client: S3Client, agents: readonly [HttpAgent, HttpsAgent], bucket: string, idleMs: number) {
    this.#client = client;
    this.#agents = agents;
    this.bucket = bucket;
    this.idleMs = idleMs;
  }

  /** Does not connect yet. @throws RemoteFailure NOT_ALLOWED, REFUSED_LOGIN */
  static async open(connection: S3Connection, { secret }: Secrets, { guard, idleMs }: S3Options): Promise<BucketCalls> {
    const { bucket, region, accessKeyId } = connection;
    if (secret === null || secret === '') throw new RemoteFailure('REFUSED_LOGIN', 'the connection has no secret key');
    // Both become part of the name of the host.
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
      throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(bucket)} is no name of a bucket`);
    }
    if (!/^[a-z0-9-]{1,40}$/.test(region)) {
      throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(region)} is no name of a region: eu-central-1 is one`);
    }
    const endpoint = endpointOf(connection, guard);
    const { S3Client: Client } = await sdk();
    const agents = [
      new HttpAgent({ keepAlive: true, lookup: guard.lookup }),
      new HttpsAgent({ keepAlive: true, lookup: guard.lookup }),
    ] as const;
    const client = new Client({
      // Always said, so that the SDK looks for no address, region or credentials of this machine.
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey: secret },
      // A name with dots has no certificate of its own.
      forcePathStyle: connection.endpoint !== null || bucket.includes('.'),
      maxAttempts: SEND_ATTEMPTS,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: idleMs, httpAgent: agents[0], httpsAgent: agents[1] },
    });
    return new BucketCalls(client, agents, bucket, idleMs);
  }

  /**
   * @param bytes how many are sent with it @param isLong whether the store has much to do before it answers
   * @throws RemoteFailure; the reason of the signal
   */
  async call<T>(
    what: string,
    signal: AbortSignal,
    send: (client: S3Client, abortSignal: AbortSignal) => Promise<T>,
    {
      bytes = 0,
      isLong = false,
      release,
    }: { readonly bytes?: number; readonly isLong?: boolean; readonly release?: (late: T) => void } = {},
  ): Promise<T> {
    try {
      const limitMs = isLong ? wholeCallMs(this.idleMs) : this.idleMs + bytes / LEAST_BYTES_PER_MS;
      return await answered(what, limitMs, signal, (ends) => send(this.#client, ends), release);
    } catch (error) {
      signal.throwIfAborted();
      throw s3Failure(error, what, this.bucket);
    }
  }

  close(): void {
    this.#client.destroy();
    for (const agent of this.#agents) agent.destroy();
  }
}

/** @throws RemoteFailure NOT_ALLOWED */
function endpointOf({ endpoint, region }: S3Connection, guard: AddressGuard): string {
  if (endpoint === null) return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!isAddress || url.username !== '' || url.password !== '') {
    throw new RemoteFailure(
      'NOT_ALLOWED',
      'the endpoint is no address of a store: expected https://host or https://host:port',
    );
  }
  if (FORBIDDEN_PORTS.has(url.port)) throw new RemoteFailure('NOT_ALLOWED', `port ${url.port} is not allowed`);
  try {
    guard.checkLiteral(url);
  } catch (error) {
    throw connectionFailure(error);
  }
  return url.origin;
}
