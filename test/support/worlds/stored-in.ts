/** What a file store holds, seen from outside of it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { Config } from '../../../src/config/config.js';
import { testS3 } from './test-s3.js';

/** What the names of files end with that are still being written. In S3 they are the multipart uploads that are open. */
export const UNFINISHED = '.part';

/**
 * The names of the files under a folder of the store, unfinished files too. A file that fits into one part of S3 is not
 * there before it is complete.
 * @param under default: all of the store
 */
export async function storedIn({ storage: { directory, s3 } }: Pick<Config, 'storage'>, under = ''): Promise<string[]> {
  if (s3 === undefined) {
    const entries = await readdir(join(directory, under), { recursive: true, withFileTypes: true }).catch(() => []);
    const folder = join(directory, under);
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  }
  const { client } = await testS3();
  const prefix = under === '' ? s3.prefix : `${s3.prefix}${under}/`;
  const place = { Bucket: s3.bucket, Prefix: prefix };
  const names: string[] = [];
  for (let from: string | undefined, more = true; more; more = from !== undefined) {
    const page = await client.send(new ListObjectsV2Command({ ...place, ContinuationToken: from }));
    names.push(...(page.Contents ?? []).map(({ Key: key = '' }) => key.slice(prefix.length)));
    from = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  }
  // Tests have fewer than the thousand of a page.
  const { Uploads: open = [] } = await client.send(new ListMultipartUploadsCommand(place));
  return [
    ...names,
    ...open.map(
      ({ Key: key = '', UploadId: id = '' }) =>
        `${key.slice(prefix.length, key.lastIndexOf('/') + 1)}.${id}${UNFINISHED}`,
    ),
  ];
}
