/** Lists the objects of a bucket that lie directly below a prefix. */
import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { sdk } from '../../s3/sdk.js';
import { isSafeName, matcherOf } from '../names.js';
import { type ListQuery, RemoteFailure, type RemoteFile } from '../remote-folder.js';
import type { BucketCalls } from './bucket-calls.js';

/** With more, the listing is refused: it may be one that does not end. A page counts as one at least. */
const MOST_ENTRIES = 100_000;
const PAGE = 1_000;

export interface Listing {
  readonly files: readonly RemoteFile[];
  readonly more: boolean;
  /** Objects that match and cannot be taken, because their names lead out of a folder or cannot be shown. */
  readonly leftOut: number;
}

/** @param prefix empty, or with a slash at its end @throws RemoteFailure */
export async function listObjects(
  calls: BucketCalls,
  prefix: string,
  { pattern, limit, sift = async (found) => found }: ListQuery,
  signal: AbortSignal,
): Promise<Listing> {
  const matches = matcherOf(pattern);
  const files: RemoteFile[] = [];
  let leftOut = 0;
  let entries = 0;
  const beginnings = beginningsOf(pattern);
  for (let [next, place]: [string | undefined, number] = [undefined, 0]; ; ) {
    const page = await pageOf(calls, `${prefix}${beginnings[place]}`, next, signal);
    const { Contents: contents = [], CommonPrefixes: folders = [] } = page;
    const matching: RemoteFile[] = [];
    for (const { Key: key = '', Size: bytes, LastModified: modifiedAt, ETag: version = '' } of contents) {
      const name = nameOf(key, page.EncodingType === 'url')?.slice(prefix.length);
      if (name === undefined || (matches(name) && name !== '' && !isSafeName(name))) leftOut += 1;
      else if (name !== '' && matches(name)) {
        matching.push({ name, bytes: bytes ?? null, modifiedAt: modifiedAt ?? null, version });
      }
    }
    files.push(...(await sift(matching)));
    // The store lists by name.
    if (files.length > limit) return { files: files.slice(0, limit), more: true, leftOut };
    entries += Math.max(1, contents.length + folders.length);
    if (page.IsTruncated !== true) {
      if (++place === beginnings.length) return { files, more: false, leftOut };
      next = undefined;
      continue;
    }
    if (entries > MOST_ENTRIES || page.NextContinuationToken === undefined || page.NextContinuationToken === next) {
      const message = `the bucket lists more than ${MOST_ENTRIES} objects below the prefix, or its listing does not end: move away what was taken`;
      throw new RemoteFailure('TOO_LARGE', message);
    }
    next = page.NextContinuationToken;
  }
}

/** What names that match may begin with: letters with accents are written in two ways. In the order in which a store lists them. */
function beginningsOf(pattern: string): string[] {
  const [literal = ''] = /^[^*?]*/.exec(pattern) ?? [];
  return [...new Set([literal.normalize('NFD'), literal.normalize('NFC'), literal])].sort();
}

async function pageOf(
  calls: BucketCalls,
  prefix: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<ListObjectsV2CommandOutput> {
  const { ListObjectsV2Command } = await sdk();
  // Encoded, because XML cannot say some characters that keys may have.
  const asked = { Bucket: calls.bucket, Prefix: prefix, Delimiter: '/', MaxKeys: PAGE, EncodingType: 'url' } as const;
  const command = new ListObjectsV2Command({ ...asked, ContinuationToken: token });
  return calls.call('listing', signal, (client, abortSignal) => client.send(command, { abortSignal }));
}

/** @returns undefined when it is no text */
function nameOf(key: string, isEncoded: boolean): string | undefined {
  if (!isEncoded) return key;
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
