/** A lock that outlives no process: a file that names its holder, and that anybody may take over once the holder is gone. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode } from './launch-error.js';
import { processIdentity } from './process-table.js';

export interface HeldLock {
  release(): void;
}

/**
 * Takes the lock at `path`.
 * @returns the lock, or the pid of the process that holds it
 */
export function takeLock(path: string): HeldLock | { heldBy: number } {
  const content = `${process.pid} ${processIdentity(process.pid) ?? ''}\n`;
  // Linked into place whole, so that nobody ever reads half a lock.
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

/** The process that wrote this lock, if that very process still runs. */
function holder(content: string): number | undefined {
  const [pid = '', ...identity] = content.trim().split(' ');
  return processIdentity(Number(pid)) === identity.join(' ') ? Number(pid) : undefined;
}

/** Removes a lock whose holder is gone. Renamed first: of two that do this at once, one finds nothing to rename. */
function setAside(path: string, stale: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  // Somebody took it over between our look and our rename: it is theirs, give it back.
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
