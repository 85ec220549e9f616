/** File stores that a test takes away from a system and gives back: a folder, and a bucket behind a proxy. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { openPlace } from '../for-each-store.js';
import { skipWithoutS3, testS3 } from '../worlds/test-s3.js';
import { type FaultyS3, openFaultyS3 } from './faulty-s3.js';

export interface BreakableStore {
  /** The value of STORAGE_URL. */
  readonly place: string;
  /** Nothing in it can be read, and nothing be written. */
  hide(): void;
  /** Without effect while it is there. */
  show(): void;
  /** Removes a file. The store itself still answers. @returns what brings it back */
  hideFile(key: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export function breakableFolder(): BreakableStore {
  const parent = mkdtempSync(join(tmpdir(), 'longshore-store-'));
  const path = join(parent, 'files');
  let isHidden = false;
  return {
    place: pathToFileURL(path).href,
    hide: () => {
      isHidden = true;
      renameSync(path, `${path}.away`);
      writeFileSync(path, '');
    },
    show: () => {
      if (!isHidden) return;
      isHidden = false;
      rmSync(path);
      renameSync(`${path}.away`, path);
    },
    hideFile: async (key) => {
      renameSync(join(path, key), join(parent, 'hidden'));
      return async () => renameSync(join(parent, 'hidden'), join(path, key));
    },
    close: async () => rmSync(parent, { recursive: true, force: true }),
  };
}

export interface BreakableS3 extends BreakableStore {
  readonly proxy: FaultyS3;
}

/** @param test is skipped where no S3 server can run @param over parameters of the place, which begin with & */
export async function breakableS3(test: Mocha.Context, over = ''): Promise<BreakableS3> {
  skipWithoutS3(test);
  const s3 = await testS3();
  const proxy = await openFaultyS3(s3.endpoint);
  const place = `${s3.newPlace(proxy.endpoint)}${over}`;
  const files = openPlace(place);
  return {
    proxy,
    place,
    hide: () => proxy.failAll('error'),
    show: () => proxy.heal(),
    hideFile: async (key) => {
      const bytes = await buffer(await files.read(key));
      await files.remove(key);
      return async () => {
        const pending = await files.create(key);
        await pipeline([bytes], pending.stream);
        await pending.commit();
      };
    },
    close: () => proxy.close(),
  };
}
