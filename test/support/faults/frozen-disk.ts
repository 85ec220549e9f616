/** A small file system of its own that a test freezes: what would write to it waits, as on a network file system without its server. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BYTES = 64 * 1024 * 1024;

export interface FreezableDisk {
  readonly path: string;
  freeze(): void;
  /** Lets go whoever waits. Without effect if it is not frozen. */
  thaw(): void;
  remove(): void;
}

/** Mounts a file system in a file; undefined where this user may not, or the system has no means to freeze it. */
export function mountFreezableDisk(): FreezableDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-frozen-'));
  const [image, path] = [join(folder, 'image'), join(folder, 'disk')];
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'ignore' });
  writeFileSync(image, '');
  truncateSync(image, BYTES);
  mkdirSync(path);
  let isFrozen = false;
  try {
    run('mkfs.ext4', '-q', image);
    run('mount', '-o', 'loop', image, path);
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const thaw = (): void => {
    if (!isFrozen) return;
    run('fsfreeze', '--unfreeze', path);
    isFrozen = false;
  };
  return {
    path,
    freeze: () => {
      run('fsfreeze', '--freeze', path);
      isFrozen = true;
    },
    thaw,
    remove: () => {
      thaw();
      run('umount', '-l', path);
      rmSync(folder, { recursive: true });
    },
  };
}
