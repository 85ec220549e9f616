/** Writes an object of unknown size: by one request if it is small, otherwise in parts. It is visible when it is whole. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { CompletedPart } from '@aws-sdk/client-s3';
import { sdk } from '../../s3/sdk.js';
import type { BucketCalls } from './bucket-calls.js';

const FIRST_PART_BYTES = 8 * 1024 * 1024;
/** S3 accepts 10,000 parts: after each thousand they become twice as large. */
const PARTS_OF_ONE_SIZE = 1_000;

/** @throws RemoteFailure; what the source fails with; the reason of the signal */
export async function putObject(calls: BucketCalls, key: string, source: Readable, signal: AbortSignal): Promise<void> {
  const target = { Bucket: calls.bucket, Key: key };
  const parts = partsOf(source);
  const first = await parts.next();
  const beginning = first.done === true ? Buffer.alloc(0) : first.value;
  const second = first.done === true ? first : await parts.next();
  if (second.done === true) {
    const { PutObjectCommand } = await sdk();
    const command = new PutObjectCommand({ ...target, Body: beginning, ContentMD5: digestOf(beginning) });
    const bytes = beginning.length;
    await calls.call('writing', signal, (client, abortSignal) => client.send(command, { abortSignal }), { bytes });
    return;
  }
  const { AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand } = await sdk();
  const create = new CreateMultipartUploadCommand(target);
  const begun = await calls.call('beginning to write', signal, (client, abortSignal) =>
    client.send(create, { abortSignal }),
  );
  const upload = { ...target, UploadId: begun.UploadId };
  try {
    const sent: CompletedPart[] = [await putPart(calls, upload, 1, beginning, signal)];
    for (let part: IteratorResult<Buffer, undefined> = second; part.done !== true; part = await parts.next()) {
      sent.push(await putPart(calls, upload, sent.length + 1, part.value, signal));
    }
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: sent } });
    await calls.call(
      'completing what was written',
      signal,
      (client, abortSignal) => client.send(complete, { abortSignal }),
      // The store may put the parts together before it answers, which does not take as long as sending them did.
      { isLong: true },
    );
  } catch (error) {
    const abort = new AbortMultipartUploadCommand(upload);
    const never = new AbortController().signal;
    await calls
      .call('removing half a file', never, (client, abortSignal) => client.send(abort, { abortSignal }))
      .catch(() => undefined);
    throw error;
  }
}

async function putPart(
  calls: BucketCalls,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
  number: number,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<CompletedPart> {
  const { UploadPartCommand } = await sdk();
  const command = new UploadPartCommand({ ...upload, PartNumber: number, Body: bytes, ContentMD5: digestOf(bytes) });
  const sent = await calls.call('writing', signal, (client, abortSignal) => client.send(command, { abortSignal }), {
    bytes: bytes.length,
  });
  return { PartNumber: number, ETag: sent.ETag };
}

async function* partsOf(source: Readable): AsyncGenerator<Buffer, undefined> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  for await (const chunk of source) {
    waiting.push(Buffer.from(chunk as Buffer));
    bytes += waiting.at(-1)?.length ?? 0;
    if (bytes < FIRST_PART_BYTES * 2 ** Math.floor(count / PARTS_OF_ONE_SIZE)) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
    count += 1;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
  return undefined;
}

function digestOf(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('base64');
}
