/** Tries the store, and removes what is not needed: abandoned uploads and temporary objects. */
import { randomBytes } from 'node:crypto';
import type { ListPartsCommandOutput } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.js';
import { OtherBytes, S3Failure } from './failure.js';
import { abortUpload } from './multipart-upload.js';
import { sdk } from './sdk.js';

/** Where clients put files directly, and where the store is tried: whatever is in there for so long is not needed. */
export const TEMPORARY = 'temporary/';

/** Aborts multipart uploads to which nothing was written since `before`: their processes have died. */
export async function abortAbandoned(bucket: Bucket, before: number): Promise<void> {
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
export async function removeTemporary(bucket: Bucket, before: number): Promise<void> {
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

export async function ping(bucket: Bucket): Promise<void> {
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
