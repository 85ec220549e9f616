/** A prefix of somebody else's bucket in S3, or in a store with the same API. */
import { Readable } from 'node:stream';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { sdk } from '../s3/sdk.js';
import { answered, wholeCallMs } from './calls.js';
import { checkEncoding, contentOf } from './content.js';
import { freeName, requireSafeFolder, requireSafeName } from './placed-names.js';
import {
  type ListQuery,
  type Opened,
  RemoteFailure,
  type RemoteFile,
  type RemoteFolder,
  type Secrets,
} from './remote-folder.js';
import { changed, type Opening, resumedRead } from './resumed-read.js';
import { BucketCalls, type S3Connection, type S3Options } from './s3/bucket-calls.js';
import { type Listing, listObjects } from './s3/list-objects.js';
import { putObject } from './s3/put-object.js';
import { s3Failure } from './s3/s3-failure.js';
import { SeenVersions } from './seen-versions.js';

/** What one request of S3 can copy, and so move. */
const MOST_COPIED_BYTES = 5 * 1024 ** 3;

/**
 * Connects only when it is asked for something.
 * @throws RemoteFailure NOT_ALLOWED, REFUSED_LOGIN
 */
export async function openS3Folder(connection: S3Connection, secrets: Secrets, options: S3Options): Promise<Opened> {
  const calls = await BucketCalls.open(connection, secrets, options);
  const { prefix } = connection;
  return { folder: new S3Folder(calls, prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`), hostKey: null };
}

interface Head {
  readonly bytes: number;
  readonly version: string;
}

class S3Folder implements RemoteFolder {
  readonly endsSilence = true;
  readonly #calls: BucketCalls;
  readonly #prefix: string;
  readonly #seen = new SeenVersions();

  constructor(calls: BucketCalls, prefix: string) {
    this.#calls = calls;
    this.#prefix = prefix;
  }

  async list(query: ListQuery, signal: AbortSignal): Promise<Listing> {
    const listing = await this.#whole('a listing', signal, (ends) =>
      listObjects(this.#calls, this.#prefix, query, ends),
    );
    for (const { name, version } of listing.files) this.#seen.note(name, version);
    return listing;
  }

  async read(
    { name, version }: RemoteFile,
    { maxBytes }: { maxBytes: number },
    signal: AbortSignal,
  ): Promise<Readable> {
    const { GetObjectCommand } = await sdk();
    const condition = version === '' ? {} : { IfMatch: version };
    const target = { Bucket: this.#calls.bucket, Key: this.#keyOf(name), ...condition };
    let first: GetObjectCommandOutput | undefined;
    const open = async (from: number, ends: AbortSignal): Promise<Opening> => {
      const command = new GetObjectCommand(from === 0 ? target : { ...target, Range: `bytes=${from}-` });
      const answer = await this.#calls.call(
        `reading ${name}`,
        ends,
        (client, abortSignal) => client.send(command, { abortSignal }),
        { release: ({ Body: body }) => endBody(body) },
      );
      const { Body: body, ContentRange: range, ContentLength: length, ETag: tag } = answer;
      try {
        checkEncoding(answer.ContentEncoding);
        // A store that does not know the condition sends another version.
        if (tag !== undefined && version !== '' && tag !== version) throw changed(name);
        const [, begin = '0', total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range ?? '') ?? [];
        if (Number(begin) !== 0 && Number(begin) !== from) {
          throw new RemoteFailure(
            'NOT_SUPPORTED',
            'the store answers with another part of the file than it was asked for',
          );
        }
        first ??= answer;
        const chunks = body instanceof Readable ? this.#bodyOf(body, name) : none();
        const size = total === undefined ? (length ?? null) : Number(total);
        return { from: Number(begin), total: size, chunks, close: () => endBody(body) };
      } catch (error) {
        endBody(body);
        throw error;
      }
    };
    this.#seen.note(name, version);
    const bytes = await resumedRead({ name, maxBytes, idleMs: this.#calls.idleMs, open }, signal);
    return contentOf(bytes, { name, encoding: first?.ContentEncoding, type: first?.ContentType, maxBytes });
  }

  async move(name: string, folder: string, signal: AbortSignal): Promise<void> {
    requireSafeFolder(folder);
    const key = this.#keyOf(name);
    const { CopyObjectCommand } = await sdk();
    await this.#whole(`moving ${name}`, signal, async (ends) => {
      const found = await this.#requireSame(name, ends);
      if (found === null) throw new RemoteFailure('NOT_FOUND', `${name} is not in the bucket any more`);
      if (found.bytes > MOST_COPIED_BYTES) {
        const message = `${name} is larger than 5 GiB, which S3 cannot move: leave it where it is, or have it removed`;
        throw new RemoteFailure('NOT_SUPPORTED', message);
      }
      const isTaken = async (as: string) => (await this.#find(`${this.#prefix}${folder}/${as}`, ends)) !== null;
      const command = new CopyObjectCommand({
        Bucket: this.#calls.bucket,
        Key: `${this.#prefix}${folder}/${await freeName(name, isTaken)}`,
        CopySource: `${this.#calls.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`,
        CopySourceIfMatch: found.version,
      });
      const send = { bytes: found.bytes };
      await this.#calls.call(
        `moving ${name}`,
        ends,
        (client, abortSignal) => client.send(command, { abortSignal }),
        send,
      );
      await this.#delete(key, name, ends);
    });
    this.#seen.forget(name);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    const key = this.#keyOf(name);
    await this.#whole(`removing ${name}`, signal, async (ends) => {
      if ((await this.#requireSame(name, ends)) !== null) await this.#delete(key, name, ends);
    });
    this.#seen.forget(name);
  }

  /** An object is visible when it is whole: it needs no temporary name. */
  async write(name: string, source: Readable, signal: AbortSignal): Promise<void> {
    try {
      await putObject(this.#calls, this.#keyOf(name), source, signal);
    } finally {
      source.destroy();
    }
    this.#seen.forget(name);
  }

  async close(): Promise<void> {
    this.#calls.close();
  }

  #keyOf(name: string): string {
    requireSafeName(name);
    return `${this.#prefix}${name}`;
  }

  /** A call of several requests. */
  #whole<T>(what: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return answered(what, wholeCallMs(this.#calls.idleMs), signal, call);
  }

  async #find(key: string, signal: AbortSignal): Promise<Head | null> {
    const { HeadObjectCommand } = await sdk();
    const command = new HeadObjectCommand({ Bucket: this.#calls.bucket, Key: key });
    try {
      const head = await this.#calls.call('looking at a file', signal, (client, abortSignal) =>
        client.send(command, { abortSignal }),
      );
      return { bytes: head.ContentLength ?? 0, version: head.ETag ?? '' };
    } catch (error) {
      if (error instanceof RemoteFailure && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  }

  /** @returns null: there is no such file @throws RemoteFailure when it is not the one that was seen */
  async #requireSame(name: string, signal: AbortSignal): Promise<Head | null> {
    const found = await this.#find(this.#keyOf(name), signal);
    if (found !== null) this.#seen.requireSame(name, found.version);
    return found;
  }

  async #delete(key: string, name: string, signal: AbortSignal): Promise<void> {
    const { DeleteObjectCommand } = await sdk();
    const command = new DeleteObjectCommand({ Bucket: this.#calls.bucket, Key: key });
    await this.#calls.call(`removing ${name}`, signal, (client, abortSignal) => client.send(command, { abortSignal }));
  }

  async *#bodyOf(body: Readable, name: string): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) yield chunk as Buffer;
    } catch (error) {
      throw s3Failure(error, `reading ${name}`, this.#calls.bucket);
    }
  }
}

async function* none(): AsyncGenerator<Buffer> {}

function endBody(body: GetObjectCommandOutput['Body']): void {
  if (!(body instanceof Readable)) return;
  body.on('error', () => undefined);
  body.destroy();
}
