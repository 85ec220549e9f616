/** An object that is written in parts, each of which is checked. */
import { createHash } from 'node:crypto';
import type { CompletedPart } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.js';
import { S3Failure } from './failure.js';
import { sdk } from './sdk.js';

/** S3 accepts 10,000 parts: after each thousand they become twice as large, which allows more than the largest object. */
const PARTS_OF_ONE_SIZE = 1_000;

export function ignore(): void {}

/** One part is sent while the next one is filled. */
export class MultipartUpload {
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

export async function abortUpload(bucket: Bucket, key: string, uploadId: string): Promise<void> {
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
