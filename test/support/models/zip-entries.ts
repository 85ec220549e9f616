/** The files within a zip archive in memory, for tests. */
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** Texts by name, in the order of the archive. */
export async function zipEntries(archive: Buffer): Promise<Map<string, string>> {
  const zip = await fromBufferPromise(archive, { lazyEntries: true });
  const texts = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    texts.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString());
  }
  return texts;
}
