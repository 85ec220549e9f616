/** What the system tells of a process: its children, its end, and how much memory it has needed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { listProcesses, processIdentity, type RunningProcess } from '../../../src/launcher/process-table.js';
import { until } from '../until.js';

const MEGABYTE = 1_000_000;
const KIBIBYTE = 1_024;

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
