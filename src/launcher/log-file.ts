/** The log file of a process, which is renamed when it has become large. */
import { openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { hasCode } from './launch-error.js';

const KEPT_BYTES = 20 * 1024 * 1024;

interface LogFile {
  readonly fd: number;
  /** The size of the file before anything is appended. */
  readonly startsAt: number;
}

/** Opens a log for appending; the caller closes it. */
export function openLog(path: string): LogFile {
  const startsAt = rotated(path);
  return { fd: openSync(path, 'a', 0o600), startsAt };
}

/** The last lines that were written after `startsAt`, and the path of the log, for an error message. */
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
