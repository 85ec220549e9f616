/** A small file system of its own, which a test fills or makes read-only. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEBIBYTE = 1024 * 1024;

export interface SmallDisk {
  readonly path: string;
  /** Writes until no byte is free. */
  fill(): Promise<void>;
  /** Frees what `fill` has written. */
  free(): Promise<void>;
  setReadOnly(readOnly: boolean): void;
  remove(): void;
}

/** Mounts a file system in memory; undefined where this user may not. */
export function mountSmallDisk(mebibytes: number): SmallDisk | undefined {
  const path = mkdtempSync(join(tmpdir(), 'longshore-disk-'));
  const filler = join(path, 'filler');
  const mount = (...args: string[]) => execFileSync('mount', [...args, path], { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs');
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    fill: async () => {
      const isFull = (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      };
      await writeFile(filler, Buffer.alloc((mebibytes + 1) * MEBIBYTE)).catch(isFull);
    },
    free: () => rm(filler),
    setReadOnly: (readOnly) => mount('-o', `remount,${readOnly ? 'ro' : 'rw'}`),
    remove: () => {
      execFileSync('umount', ['-l', path]);
      rmSync(path, { recursive: true });
    },
  };
}
