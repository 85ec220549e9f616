/** The requests to a bucket of S3. Each has a deadline, and its errors tell a missing object from a store that fails. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Location } from '../../config/storage-config.js';
import { FileMissing, FileStoreUnavailable } from '../file-store.js';
import { FileStoreSilent, limitOf, storeCalls } from '../store-calls.js';
import { FULL_MS, failureOf, OtherBytes, S3Failure, S3Full, statusOf } from './failure.js';
import { collect, insistently } from './read-body.js';
import { sdk } from './sdk.js';

/** The SDK repeats what was refused for the moment, after a pause. The deadline of the call bounds this. */
const SEND_ATTEMPTS = 4;

/** An object as the store knows it. */
interface Found {
  readonly bytes: number;
  readonly etag: string;
}

/** Part of an object. */
export interface Piece {
  readonly bytes: Buffer;
  /** The size of the whole object. */
  readonly total: number;
  readonly etag: string | undefined;
}

export class Bucket {
  readonly #location: S3Location;
  readonly #limitMs: number | undefined;
  #client: Promise<S3Client> | undefined;
  #publicClient: Promise<S3Client> | undefined;
  #fullUntil = 0;

  constructor(location: S3Location, limitMs: number | undefined) {
    this.#location = location;
    this.#limitMs = limitMs;
  }

  get name(): string {
    return this.#location.bucket;
  }

  get prefix(): string {
    return this.#location.prefix;
  }

  /** A file of one part at most is written by one request. */
  get partBytes(): number {
    return this.#location.partBytes;
  }

  /** The key of the object of a file. */
  readonly keyOf = (key: string): string => {
    if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) {
      throw new Error(`a file key may not leave the store: ${key}`);
    }
    return `${this.#location.prefix}${key}`;
  };

  /** The key of the file of an object. */
  fileOf(object: string): string {
    return object.slice(this.#location.prefix.length);
  }

  /** Whether the store has said so shortly ago. It does not tell how much room it has. */
  isFull(): boolean {
    return performance.now() < this.#fullUntil;
  }

  /**
   * Makes a request, or several of them. @param what for the message of the error: an operation
   * @throws FileMissing, FileStoreSilent, FileStoreUnavailable
   */
  async call<T>(what: string, send: (client: S3Client, signal: AbortSignal) => Promise<T>, bytes = 0): Promise<T> {
    const aborter = new AbortController();
    const limitMs = limitOf(bytes, this.#limitMs);
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new FileStoreSilent(what, limitMs));
        aborter.abort();
      }, limitMs);
    });
    this.#client ??= this.#open(this.#location.endpoint);
    const called = this.#client.then((client) => send(client, aborter.signal));
    called.catch(() => undefined);
    try {
      const result = await Promise.race([called, silence]);
      storeCalls.succeeded++;
      return result;
    } catch (error) {
      const failure = failureOf(what, this.name, error);
      if (failure instanceof S3Full) this.#fullUntil = performance.now() + FULL_MS;
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The client whose URLs are handed out. */
  forClients(): Promise<S3Client> {
    this.#publicClient ??= this.#open(this.#location.publicEndpoint ?? this.#location.endpoint);
    return this.#publicClient;
  }

  /** @returns null when there is no such object */
  async find(key: string): Promise<Found | null> {
    const { HeadObjectCommand, HeadBucketCommand } = await sdk();
    return this.call('looking at a file', async (client, abortSignal) => {
      try {
        const head = await client.send(new HeadObjectCommand({ Bucket: this.name, Key: key }), { abortSignal });
        return { bytes: head.ContentLength ?? 0, etag: head.ETag ?? '' };
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        // The answer to HEAD has no body that could say whether the object or the whole bucket is missing.
        await client.send(new HeadBucketCommand({ Bucket: this.name }), { abortSignal });
        return null;
      }
    });
  }

  /** Bytes [start, end), or what there is of them. @throws FileMissing */
  async read(key: string, start: number, end: number, etag?: string): Promise<Piece> {
    if (end <= start) return { bytes: Buffer.alloc(0), total: 0, etag };
    const { GetObjectCommand } = await sdk();
    const command = { Bucket: this.name, Key: key, Range: `bytes=${start}-${end - 1}`, IfMatch: etag };
    const read = async (client: S3Client, abortSignal: AbortSignal): Promise<Piece> => {
      const answer = await client.send(new GetObjectCommand(command), { abortSignal });
      const { Body: body, ContentRange: range = '', ContentLength: length = 0, ETag } = answer;
      const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
      if (length > 0 && (first === undefined || Number(first) !== start)) {
        throw new FileStoreUnavailable('the S3 store does not answer with the range of bytes that it was asked for');
      }
      const bytes = body instanceof Readable ? await collect(body, length, abortSignal) : Buffer.alloc(0);
      return { bytes, total: Number(total ?? 0), etag: ETag };
    };
    try {
      return await this.call(
        'reading',
        (client, signal) => insistently(() => read(client, signal), signal),
        end - start,
      );
    } catch (error) {
      if (!(error instanceof S3Failure)) throw error;
      // The object ends before the range, or is empty.
      if (error.httpStatus === 416) return { bytes: Buffer.alloc(0), total: 0, etag };
      if (error.s3Code === 'NoSuchKey') throw new FileMissing(this.fileOf(key));
      throw error;
    }
  }

  /** Writes an object by one request, and checks it. */
  async put(key: string, bytes: Buffer): Promise<void> {
    const { PutObjectCommand } = await sdk();
    const md5 = createHash('md5').update(bytes);
    const input = { Bucket: this.name, Key: key, Body: bytes, ContentMD5: md5.copy().digest('base64') };
    const written = await this.call(
      'writing a file',
      (client, abortSignal) => client.send(new PutObjectCommand(input), { abortSignal }),
      bytes.length,
    );
    // With a key of AWS (KMS) or of the customer, the tag is no digest of the bytes.
    const isDigest = written.ServerSideEncryption !== 'aws:kms' && /^"[0-9a-f]{32}"$/.test(written.ETag ?? '');
    if (isDigest && written.ETag !== `"${md5.digest('hex')}"`) throw new OtherBytes();
    this.#fullUntil = 0;
    await this.check(key, bytes.length, written.ETag);
  }

  /** Fails unless the object is as it was written. */
  async check(key: string, bytes: number, etag: string | undefined): Promise<void> {
    const found = await this.find(key);
    if (found?.bytes === bytes && (etag === undefined || found.etag === etag)) return;
    throw new OtherBytes();
  }

  /** Without effect if there is no such object. */
  async remove(key: string): Promise<void> {
    const { DeleteObjectCommand } = await sdk();
    await this.call('removing a file', (client, abortSignal) =>
      client.send(new DeleteObjectCommand({ Bucket: this.name, Key: key }), { abortSignal }),
    );
  }

  async #open(endpoint: string | undefined): Promise<S3Client> {
    const { S3Client } = await sdk();
    const { region, pathStyle } = this.#location;
    const limitMs = limitOf(0, this.#limitMs);
    const settings: S3ClientConfig = {
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      forcePathStyle: pathStyle,
      maxAttempts: SEND_ATTEMPTS,
      // We send MD5 digests, which every store knows; many refuse the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: limitMs },
    };
    return new S3Client(settings);
  }
}
