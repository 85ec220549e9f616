/** Runs a suite once on each file store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../../src/config/config.js';
import type { FileStore } from '../../src/platform/file-store.js';
import { openFileStore } from '../../src/platform/open-file-store.js';
import { testEnvironment } from './worlds/test-environment.js';
import { failWithoutS3, s3IsAvailable, testS3 } from './worlds/test-s3.js';

export interface StoreBackend {
  readonly name: 'folder' | 's3';
  /** The value of STORAGE_URL for a place of its own, which exists and is empty. */
  newPlace(): Promise<string>;
  /** The same, of a place that does not exist any more. */
  gonePlace(): Promise<string>;
}

/** Declares the suite `in a folder` and `in S3`; without an S3 server the second is one pending test that says so. */
export function forEachStore(declareSuite: (backend: StoreBackend) => void): void {
  describe('in a folder', () => {
    const folders: string[] = [];
    const newPlace = async () => {
      folders.push(await mkdtemp(join(tmpdir(), 'longshore-store-')));
      return pathToFileURL(folders.at(-1) ?? '').href;
    };
    declareSuite({ name: 'folder', newPlace, gonePlace: async () => 'file:///proc/no-such-folder' });
    after(async () => {
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });
  });
  describe('in S3', function () {
    this.timeout(60_000);
    if (s3IsAvailable()) {
      const newPlace = async () => (await testS3()).newPlace();
      declareSuite({
        name: 's3',
        newPlace,
        gonePlace: async () => (await newPlace()).replace('s3://', 's3://no-such-'),
      });
    } else if (testEnvironment().requireS3) it('needs an S3 server', failWithoutS3);
    else it('is left out: no S3 server was found (install Swift)');
  });
}

/** Opens the store that a value of STORAGE_URL names. */
export function openPlace(place: string, environment: Readonly<Record<string, string>> = {}): FileStore {
  const required = { DATABASE_URL: 'postgres://unused', SECRETS_KEY: 'x'.repeat(32) };
  return openFileStore(loadConfig({ ...required, ...environment, STORAGE_URL: place }).storage);
}
