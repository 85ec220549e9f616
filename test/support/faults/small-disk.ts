/** A small file system of its own, which a test fills or makes read-only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../until.js';

/** The disk changes its size between a look at it and the change: so often it is looked at again. */
const FILLS = 20;
const REMOUNTED_WITHIN_MS = 10_000;

export interface SmallDisk {
  readonly path: string;
  /** Leaves so many bytes free, rounded to pages: nothing if they are not named. */
  fill(spareBytes?: number): Promise<void>;
  /** Gives the disk its room back. Without effect if it is not full. */
  free(): void;
  /** Waits until no file is open for writing, as it must be to become read-only. */
  setReadOnly(readOnly: boolean): Promise<void>;
  remove(): void;
}

/** Mounts a file system in memory, which occupies what is in it; undefined where this user may not. */
export function mountSmallDisk(mebibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'longshore-disk-'));
  const mine = join(path, 'never-empty');
  const mount = (...args: string[]) => execFileSync('mount', [...args, path], { stdio: 'ignore' });
  const size = `size=${mebibytes}m`;
  try {
    mount('-t', 'tmpfs', '-o', size, 'tmpfs');
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    fill: async (spareBytes = 0) => {
      // A size of 0 would mean no limit.
      await writeFile(mine, '.');
      for (let left = FILLS; ; left--) {
        const { blocks, bfree, bsize } = await statfs(path);
        try {
          mount('-o', `remount,size=${(blocks - bfree) * bsize + spareBytes}`);
          return;
        } catch (error) {
          // It is not made smaller than what has been written meanwhile.
          if (left === 0) throw error;
        }
      }
    },
    free: () => {
      mount('-o', `remount,${size}`);
    },
    setReadOnly: (readOnly) => {
      const isDone = () => {
        try {
          mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`);
          return true;
        } catch {
          return false;
        }
      };
      return until(`the disk is ${readOnly ? 'read-only' : 'writable'}`, isDone, REMOUNTED_WITHIN_MS);
    },
    remove: () => {
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true });
    },
  };
}
