/** The log of one process in a file, put aside when it has grown large. */
import { openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { hasCode } from './launch-error.js';

const KEPT_BYTES = 20 * 1024 * 1024;

interface LogFile {
  readonly fd: number;
  /** Where what is written from now on begins. */
  readonly startsAt: number;
}

/** Opens a log for appending; the caller closes it. */
export function openLog(path: string): LogFile {
  const startsAt = rotated(path);
  return { fd: openSync(path, 'a', 0o600), startsAt };
}

/** What was last written from `startsAt` on, and where the rest is, for an error message. */
export function lastLines(path: string, startsAt: number): string {
  const written = readFileSync(path).subarray(startsAt).toString('utf8').trim();
  return `${written.split('\n').slice(-12).join('\n')}\n(the whole log is in ${path})`;
}

function rotated(path: string): number {
  try {
    const { size } = statSync(path);
    if (size <= KEPT_BYTES) return size;
    renameSync(path, `${path}.1`);
    return 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
