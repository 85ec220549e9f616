/** The greatest resident set of each process of a system, as the kernel keeps it (VmHWM). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 500;
const BYTES_PER_MB = 1_000_000;

export interface PeakMemory {
  /** By name of the process, in MB of 1,000,000 bytes, since it began. */
  peaks(): Record<string, number>;
  stop(): void;
}

/**
 * Looks until stopped, so that a process that ends before the last look has still been seen.
 * `postgres` is the greatest of its processes; each counts the shared buffers that it has touched.
 */
export function watchPeakMemory(
  processes: () => readonly { readonly name: string; readonly pid: number | undefined }[],
): PeakMemory {
  const peaks = new Map<string, number>();
  const look = () => {
    for (const { name, pid } of processes()) {
      const bytes = pid === undefined ? 0 : name === 'postgres' ? peakOfChildren(pid) : peakBytes(pid);
      if (bytes > 0) peaks.set(name, Math.max(peaks.get(name) ?? 0, Math.round(bytes / BYTES_PER_MB)));
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    peaks: () => {
      look();
      return Object.fromEntries(peaks);
    },
    stop: () => clearInterval(timer),
  };
}

function peakOfChildren(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return Math.max(...children.map((child) => peakBytes(Number(child))));
  } catch {
    // Not on Linux.
    return 0;
  }
}

/** @returns 0 when the process has ended */
function peakBytes(pid: number): number {
  try {
    if (process.platform === 'linux') {
      const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
      return Number(match?.[1] ?? 0) * 1024;
    }
    // Elsewhere only what it is now is told; the most of many looks comes near its peak.
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
  } catch {
    return 0;
  }
}
