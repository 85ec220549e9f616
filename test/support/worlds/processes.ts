/** What the system tells of a process: its children, its end, and how much memory it has needed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { listProcesses, processIdentity, type RunningProcess } from '../../../src/launcher/process-table.js';
import { until } from '../until.js';

const MEGABYTE = 1_000_000;
const KIBIBYTE = 1_024;
const NANOSECONDS_A_MS = 1_000_000;

/** Direct children only. */
export function childrenOf(parent: number): RunningProcess[] {
  return listProcesses().filter(({ pid }) => parentOf(pid) === parent);
}

export function isRunning({ pid }: RunningProcess): boolean {
  return processIdentity(pid) !== undefined;
}

function parentOf(pid: number): number | undefined {
  try {
    if (process.platform !== 'linux')
      return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // Gone between the list and this look.
    return undefined;
  }
}

/** Resolves when a process that is nobody's child of ours has. @throws when it has not within `withinMs` */
export async function untilGone(pid: number, withinMs: number): Promise<void> {
  await until(`process ${pid} has ended`, () => processIdentity(pid) === undefined, withinMs);
}

/** The highest resident set so far in MB, as the kernel noted it; where it notes none, the present one. */
export function peakMemoryMB(pid: number): number {
  if (process.platform !== 'linux') {
    const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
    return (Number(kibibytes) * KIBIBYTE) / MEGABYTE;
  }
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * KIBIBYTE) / MEGABYTE;
}

/** The resident set now; NaN where the kernel does not say it in /proc. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * KIBIBYTE;
}

/**
 * How long the main thread of a process has computed, and how long it was ready to but waited for a processor, both in
 * ms since it began: what it took longer than it computed is not its doing where others use the same processors.
 * Waiting is 0 where the system does not count it.
 */
export function processorTime(pid: number): { computedMs: number; waitedMs: number } {
  try {
    const [computed, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return { computedMs: Number(computed) / NANOSECONDS_A_MS, waitedMs: Number(waited) / NANOSECONDS_A_MS };
  } catch {
    return { computedMs: 0, waitedMs: 0 };
  }
}
