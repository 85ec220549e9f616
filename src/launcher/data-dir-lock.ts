/**
 * A file that names the process that holds a lock. When that process has ended, another one may replace the file.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode } from './launch-error.js';
import { processIdentity } from './process-table.js';

export interface HeldLock {
  release(): void;
}

/**
 * Acquires the lock at `path`.
 * @returns the lock, or the pid of the process that holds it
 */
export function acquireLock(path: string): HeldLock | { heldBy: number } {
  const content = `${process.pid} ${processIdentity(process.pid) ?? ''}\n`;
  // A complete file is linked into place, so that no process ever reads half a lock.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o644 });
  try {
    for (;;) {
      if (linked(draft, path)) return { release: () => releaseIfOurs(path, content) };
      const found = readIfThere(path);
      if (found === undefined) continue;
      const heldBy = holder(found);
      if (heldBy !== undefined) return { heldBy };
      setAside(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The pid of the process that wrote this lock; undefined if that process has ended, even if its pid is used again. */
function holder(content: string): number | undefined {
  const [pid = '', ...identity] = content.trim().split(' ');
  return processIdentity(Number(pid)) === identity.join(' ') ? Number(pid) : undefined;
}

/** Removes a lock whose holder has ended. It is renamed first, so that only one of two processes does this. */
function setAside(path: string, stale: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  // Another process replaced the lock after we read it: the lock is valid, so restore it.
  if (readFileSync(aside, 'utf8') !== stale) linked(aside, path);
  rmSync(aside, { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function releaseIfOurs(path: string, content: string): void {
  if (readIfThere(path) === content) rmSync(path, { force: true });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
