/** Files of a local file store: who may read them, and the names of unfinished ones. */
import { rm } from 'node:fs/promises';
import type { StoreCalls } from '../store-calls.js';

/** The suffix of files that are still being written. */
export const UNFINISHED = '.part';

/** Only the user of the service may read the files: they hold the data of all tenants. */
export const FILE_MODE = 0o600;

/** Without effect if there is no such file. */
export async function remove(calls: StoreCalls, path: string): Promise<void> {
  await calls.run('removing a file', () => rm(path, { force: true }));
}

/** Errors of a discarded stream are not reported: the caller that discards it knows the cause. */
export function ignore(): void {}
