/** A file store in a bucket of S3, or of a store with the same API. It is used by all processes, on any machine. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { CompletedPart, ListPartsCommandOutput, S3Client } from '@aws-sdk/client-s3';
import type { S3Location } from '../config/storage-config.js';
import {
  createScratch,
  type DirectTransfers,
  FileMissing,
  type FileStore,
  FileStoreUnavailable,
  type PendingFile,
} from './file-store.js';
import { Bucket, OtherBytes, type Piece, S3Failure, sdk } from './s3/bucket.js';
import { StoreCalls } from './store-calls.js';

/** S3 accepts 10,000 parts: after each thousand they become twice as large, which allows more than the largest object. */
const PARTS_OF_ONE_SIZE = 1_000;
const FIRST_BUFFER_BYTES = 64 * 1024;
/** What one request reads of a file that is read from its beginning to its end. */
const PIECE_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Where clients put files directly, and where the store is tried: whatever is in there for so long is not needed. */
const TEMPORARY = 'temporary/';
const TEMPORARY_MS = 3 * 24 * 60 * 60 * 1000;

/**
 * Creates a file store in a bucket that exists.
 * @param scratchFolder a local folder for scratch files
 * @param limitMs how long the store may take to answer
 */
export function createS3FileStore(location: S3Location, scratchFolder: string, limitMs?: number): FileStore {
  const bucket = new Bucket(location, limitMs);
  const local = new StoreCalls(limitMs);
  return {
    create: async (key) => createPending(bucket, bucket.keyOf(key)),
    createScratch: () => createScratch(local, scratchFolder),
    read: async (key, range) => readStream(bucket, bucket.keyOf(key), range),
    readRange: async (key, start, end) => (await bucket.read(bucket.keyOf(key), start, end)).bytes,
    size: async (key) => (await bucket.find(bucket.keyOf(key)))?.bytes ?? null,
    requireSize: async (key) => {
      const found = await bucket.find(bucket.keyOf(key));
      if (found === null) throw new FileMissing(key);
      return found.bytes;
    },
    remove: (key) => bucket.remove(bucket.keyOf(key)),
    removeAbandoned: async (idleMs) => {
      await abortAbandoned(bucket, Date.now() - idleMs);
      await removeTemporary(bucket, Date.now() - TEMPORARY_MS);
    },
    ping: () => ping(bucket),
    freeBytes: async () => (bucket.isFull() ? 0 : Number.POSITIVE_INFINITY),
    direct: location.direct ? directTransfers(bucket) : null,
  };
}

// Reading.

/**
 * Reads an object by one request after the other: a slow reader then holds no connection, which the store would close,
 * and a lost connection costs one piece. The next piece is fetched while one is read.
 * @param range bytes [start, end); default: all
 */
async function readStream(
  bucket: Bucket,
  key: string,
  range: { start: number; end: number } | undefined,
): Promise<Readable> {
  const { start = 0, end: wanted = Number.POSITIVE_INFINITY } = range ?? {};
  const first = await bucket.read(key, start, Math.min(start + PIECE_BYTES, wanted));
  const end = Math.min(wanted, first.total);
  const fetchFrom = (at: number) => {
    if (at >= end) return undefined;
    const piece = bucket.read(key, at, Math.min(at + PIECE_BYTES, end), first.etag);
    piece.catch(() => undefined);
    return piece;
  };
  async function* chunks(): AsyncGenerator<Buffer> {
    let at = start;
    for (let piece: Piece | undefined = first; piece !== undefined; ) {
      at += piece.bytes.length;
      if (at < end && piece.bytes.length === 0) throw new FileStoreUnavailable('the S3 store sent no bytes of a file');
      const next = fetchFrom(at);
      const { bytes } = piece;
      for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
      piece = await next;
    }
  }
  return Readable.from(chunks(), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

// Writing.

/** A file is written by one request at its commit if it is small, otherwise by a multipart upload that the commit ends. */
async function createPending(bucket: Bucket, key: string): Promise<PendingFile> {
  const upload = new MultipartUpload(bucket, key);
  let part: Buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_BUFFER_BYTES, upload.partBytes));
  let filled = 0;
  let bytes = 0;
  const append = async (chunk: Buffer): Promise<void> => {
    bytes += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      if (filled === part.length && filled < upload.partBytes) part = enlarged(part, upload.partBytes);
      const copied = chunk.copy(part, filled, at);
      filled += copied;
      at += copied;
      if (filled < upload.partBytes) continue;
      await upload.send(part);
      part = Buffer.allocUnsafeSlow(upload.partBytes);
      filled = 0;
    }
  };
  const finish = async (): Promise<void> => {
    if (upload.hasBegun && filled > 0) await upload.send(part.subarray(0, filled));
    await upload.sent();
  };
  const stream = new Writable({
    highWaterMark: CHUNK_BYTES,
    write: (chunk: Buffer, _encoding, done) => {
      append(chunk).then(() => done(), done);
    },
    final: (done) => {
      finish().then(() => done(), done);
    },
  });
  return {
    stream,
    commit: async () => {
      if (upload.hasBegun) await upload.complete(bytes);
      else await bucket.put(key, part.subarray(0, filled));
    },
    discard: async () => {
      stream.on('error', ignore);
      stream.destroy();
      if (!stream.closed) await finished(stream).catch(ignore);
      // What cannot be aborted now is aborted as abandoned.
      await upload.abort().catch(ignore);
    },
  };
}

function enlarged(part: Buffer, most: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.min(most, part.length * 2));
  part.copy(larger);
  return larger;
}

function ignore(): void {}

/** One part is sent while the next one is filled. */
class MultipartUpload {
  readonly #bucket: Bucket;
  readonly #key: string;
  readonly #parts: CompletedPart[] = [];
  readonly #digests: Buffer[] = [];
  #uploadId: string | undefined;
  #sending: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(bucket: Bucket, key: string) {
    this.#bucket = bucket;
    this.#key = key;
  }

  get hasBegun(): boolean {
    return this.#count > 0;
  }

  /** The size of the next part. */
  get partBytes(): number {
    return this.#bucket.partBytes * 2 ** Math.floor(this.#count / PARTS_OF_ONE_SIZE);
  }

  /** Begins to send a part, when the one before has been sent. @throws what that one has met */
  async send(bytes: Buffer): Promise<void> {
    const number = ++this.#count;
    await this.#sending;
    this.#sending = this.#send(bytes, number);
    this.#sending.catch(ignore);
  }

  /** Resolves when all parts are in the store. */
  async sent(): Promise<void> {
    await this.#sending;
  }

  /** Makes the object visible, and checks it. */
  async complete(bytes: number): Promise<void> {
    const { CompleteMultipartUploadCommand } = await sdk();
    const input = { ...this.#named(), MultipartUpload: { Parts: this.#parts } };
    // The store may put the parts together before it answers.
    const completed = await this.#bucket
      .call(
        'completing a file',
        (client, abortSignal) => client.send(new CompleteMultipartUploadCommand(input), { abortSignal }),
        bytes,
      )
      .catch((error: unknown) => {
        // It was completed, and the answer was lost; the check tells.
        if (error instanceof S3Failure && error.s3Code === 'NoSuchUpload') return { ETag: this.#tag() };
        throw error;
      });
    this.#uploadId = undefined;
    await this.#bucket.check(this.#key, bytes, completed.ETag);
  }

  /** Without effect when there is nothing to abort. */
  async abort(): Promise<void> {
    await this.#sending.catch(ignore);
    if (this.#uploadId === undefined) return;
    await abortUpload(this.#bucket, this.#key, this.#uploadId);
  }

  async #send(bytes: Buffer, number: number): Promise<void> {
    const { CreateMultipartUploadCommand, UploadPartCommand } = await sdk();
    if (this.#uploadId === undefined) {
      const input = { Bucket: this.#bucket.name, Key: this.#key };
      const begun = await this.#bucket.call('beginning a file', (client, abortSignal) =>
        client.send(new CreateMultipartUploadCommand(input), { abortSignal }),
      );
      this.#uploadId = begun.UploadId;
    }
    const md5 = createHash('md5').update(bytes).digest();
    const input = { ...this.#named(), PartNumber: number, Body: bytes, ContentMD5: md5.toString('base64') };
    const sent = await this.#bucket.call(
      'writing',
      (client, abortSignal) => client.send(new UploadPartCommand(input), { abortSignal }),
      bytes.length,
    );
    this.#digests.push(md5);
    this.#parts.push({ PartNumber: number, ETag: sent.ETag });
  }

  #named() {
    return { Bucket: this.#bucket.name, Key: this.#key, UploadId: this.#uploadId };
  }

  /** The tag of an object of several parts, unless it is encrypted with a key of AWS. */
  #tag(): string {
    const digest = createHash('md5').update(Buffer.concat(this.#digests)).digest('hex');
    return `"${digest}-${this.#digests.length}"`;
  }
}

async function abortUpload(bucket: Bucket, key: string, uploadId: string): Promise<void> {
  const { AbortMultipartUploadCommand } = await sdk();
  const input = { Bucket: bucket.name, Key: key, UploadId: uploadId };
  try {
    await bucket.call('removing an unfinished file', (client, abortSignal) =>
      client.send(new AbortMultipartUploadCommand(input), { abortSignal }),
    );
  } catch (error) {
    if (!(error instanceof S3Failure) || error.s3Code !== 'NoSuchUpload') throw error;
  }
}

// Maintenance.

/** Aborts multipart uploads to which nothing was written since `before`: their processes have died. */
async function abortAbandoned(bucket: Bucket, before: number): Promise<void> {
  const { ListMultipartUploadsCommand } = await sdk();
  let from: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined = {};
  while (from !== undefined) {
    const input: { Bucket: string; Prefix: string } = { Bucket: bucket.name, Prefix: bucket.prefix, ...from };
    const page = await bucket.call('listing unfinished files', (client, abortSignal) =>
      client.send(new ListMultipartUploadsCommand(input), { abortSignal }),
    );
    for (const { Key: key = '', UploadId: id = '', Initiated: begun } of page.Uploads ?? []) {
      if ((begun?.getTime() ?? 0) >= before) continue;
      if ((await lastPartAt(bucket, key, id)) < before) await abortUpload(bucket, key, id);
    }
    const { IsTruncated: more, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    from = more === true ? { KeyMarker, UploadIdMarker } : undefined;
  }
}

/** When the last part of an upload was written; 0: it has none. */
async function lastPartAt(bucket: Bucket, key: string, uploadId: string): Promise<number> {
  let last = 0;
  for (let marker: string | undefined = '0'; marker !== undefined; ) {
    const page: ListPartsCommandOutput | null = await partsAfter(bucket, key, uploadId, marker);
    last = Math.max(last, ...(page?.Parts ?? []).map((part) => part.LastModified?.getTime() ?? 0));
    marker = page?.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  }
  return last;
}

/** @returns null when the upload was completed or aborted meanwhile */
async function partsAfter(
  bucket: Bucket,
  key: string,
  uploadId: string,
  marker: string,
): Promise<ListPartsCommandOutput | null> {
  const { ListPartsCommand } = await sdk();
  const input = { Bucket: bucket.name, Key: key, UploadId: uploadId, PartNumberMarker: marker };
  try {
    return await bucket.call('listing the parts of a file', (client, abortSignal) =>
      client.send(new ListPartsCommand(input), { abortSignal }),
    );
  } catch (error) {
    if (error instanceof S3Failure && error.s3Code === 'NoSuchUpload') return null;
    throw error;
  }
}

/** Removes what clients have put after it was needed, and what died processes have left. */
async function removeTemporary(bucket: Bucket, before: number): Promise<void> {
  const { ListObjectsV2Command } = await sdk();
  let token: string | undefined;
  do {
    const input = { Bucket: bucket.name, Prefix: `${bucket.prefix}${TEMPORARY}`, ContinuationToken: token };
    const page = await bucket.call('listing temporary files', (client, abortSignal) =>
      client.send(new ListObjectsV2Command(input), { abortSignal }),
    );
    for (const { Key: key, LastModified: at } of page.Contents ?? []) {
      if (key !== undefined && at !== undefined && at.getTime() < before) await bucket.remove(key);
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

async function ping(bucket: Bucket): Promise<void> {
  const key = bucket.keyOf(`${TEMPORARY}ping-${randomBytes(6).toString('hex')}`);
  const written = randomBytes(16);
  try {
    await bucket.put(key, written);
    const { bytes } = await bucket.read(key, 0, written.length);
    if (!written.equals(bytes)) throw new OtherBytes();
  } finally {
    await bucket.remove(key);
  }
}

// What clients transfer without the API.

function directTransfers(bucket: Bucket): DirectTransfers {
  const incoming = (id: string) => bucket.keyOf(`${TEMPORARY}uploads/${id}`);
  return {
    uploadUrl: async (id, expiresAt) => {
      const { PutObjectCommand } = await sdk();
      const command = new PutObjectCommand({ Bucket: bucket.name, Key: incoming(id) });
      return sign(bucket, expiresAt, (getSignedUrl, client, options) => getSignedUrl(client, command, options));
    },
    downloadUrl: async (key, { name, contentType }, expiresAt) => {
      const { GetObjectCommand } = await sdk();
      const input = {
        Bucket: bucket.name,
        Key: bucket.keyOf(key),
        ResponseContentType: contentType,
        ResponseContentDisposition: attachment(name),
        ResponseCacheControl: 'private, no-store',
      };
      const command = new GetObjectCommand(input);
      return sign(bucket, expiresAt, (getSignedUrl, client, options) => getSignedUrl(client, command, options));
    },
    findUpload: (id) => bucket.find(incoming(id)),
    keepUpload: async (id, { bytes, etag }, key) => {
      const { CopyObjectCommand } = await sdk();
      const source = `${bucket.name}/${incoming(id)}`.split('/').map(encodeURIComponent).join('/');
      const to = bucket.keyOf(key);
      const input = { Bucket: bucket.name, Key: to, CopySource: source, CopySourceIfMatch: etag };
      try {
        const copied = await bucket.call(
          'keeping an upload',
          (client, abortSignal) => client.send(new CopyObjectCommand(input), { abortSignal }),
          bytes,
        );
        await bucket.check(to, bytes, copied.CopyObjectResult?.ETag);
        return true;
      } catch (error) {
        if (error instanceof S3Failure && (error.httpStatus === 412 || error.s3Code === 'NoSuchKey')) return false;
        throw error;
      }
    },
    removeUpload: (id) => bucket.remove(incoming(id)),
  };
}

type Signer = typeof import('@aws-sdk/s3-request-presigner').getSignedUrl;
type SigningOptions = NonNullable<Parameters<Signer>[2]>;

async function sign(
  bucket: Bucket,
  expiresAt: Date,
  signed: (getSignedUrl: Signer, client: S3Client, options: SigningOptions) => Promise<string>,
): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const client = await bucket.forClients();
  const now = Date.now();
  const expiresIn = Math.max(1, Math.ceil((expiresAt.getTime() - now) / 1000));
  return bucket.call('signing a URL', () => signed(getSignedUrl, client, { expiresIn, signingDate: new Date(now) }));
}

/** The header that names a download (RFC 6266), also for names that are not ASCII. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
