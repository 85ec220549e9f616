/** The greatest resident set of each process of a system, as the kernel keeps it (VmHWM). */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const POLL_INTERVAL_MS = 500;
const BYTES_PER_MB = 1_000_000;

export interface PeakMemory {
  /** By name of the process, in MB of 1,000,000 bytes, since it began or was last reset. */
  peaks(): Record<string, number>;
  stop(): void;
}

interface WatchedProcess {
  readonly name: string;
  readonly pid: number | undefined;
}

/**
 * Looks until stopped, so that a process that ends before the last look has still been seen.
 * `postgres` is the greatest of its processes; each counts the shared buffers that it has touched.
 * @param options.fromNow the processes have served others before: what they took then is forgotten, where the kernel can
 */
export function watchPeakMemory(
  processes: () => readonly WatchedProcess[],
  { fromNow = false }: { fromNow?: boolean } = {},
): PeakMemory {
  if (fromNow) for (const { name, pid } of processes()) forgetPeaks(name, pid);
  const peaks = new Map<string, number>();
  const look = () => {
    for (const { name, pid } of processes()) {
      const bytes = pid === undefined ? 0 : name === 'postgres' ? peakOfChildren(pid) : peakBytes(pid);
      if (bytes > 0) peaks.set(name, Math.max(peaks.get(name) ?? 0, Math.round(bytes / BYTES_PER_MB)));
    }
  };
  const timer = setInterval(look, POLL_INTERVAL_MS);
  return {
    peaks: () => {
      look();
      return Object.fromEntries(peaks);
    },
    stop: () => clearInterval(timer),
  };
}

function peakOfChildren(pid: number): number {
  return Math.max(0, ...childrenOf(pid).map(peakBytes));
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // Not on Linux.
    return [];
  }
}

/** Sets VmHWM to what each has now (proc(5), clear_refs). */
function forgetPeaks(name: string, pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of name === 'postgres' ? childrenOf(pid) : [pid]) {
    try {
      writeFileSync(`/proc/${each}/clear_refs`, '5');
    } catch {
      // Not on Linux, or it has ended.
    }
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
