/** How much memory a process has needed. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const MEGABYTE = 1_000_000;
const KIBIBYTE = 1_024;

/** The highest resident set so far in MB, as the kernel noted it; where it notes none, the present one. */
export function peakMemoryMB(pid: number): number {
  if (process.platform !== 'linux') {
    const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
    return (Number(kibibytes) * KIBIBYTE) / MEGABYTE;
  }
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * KIBIBYTE) / MEGABYTE;
}
