/** Who has used the processors: seconds by process, and how busy the machine was, as Linux counts them. */
import { readFileSync } from 'node:fs';
import { childrenOf } from './peak-memory.js';

export interface ProcessorTime {
  /** Seconds of processor time since the process began, its ended children included. */
  readonly byProcess: ReadonlyMap<string, number>;
  /** Seconds of processor time of the whole machine, and of those in which a processor had nothing to do. */
  readonly all: number;
  readonly idle: number;
}

/** Clock ticks a second, which Linux has in /proc whatever the kernel's own rate. */
const TICKS = 100;

/** @returns undefined where the system does not say */
export function processorTime(
  processes: readonly { readonly name: string; readonly pid: number | undefined }[],
): ProcessorTime | undefined {
  try {
    const [, ...times] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/ +/).map(Number);
    // user, nice, system, idle, iowait, irq, softirq, steal; guests are counted among the first two.
    const all = times.slice(0, 8).reduce((sum, ticks) => sum + ticks, 0) / TICKS;
    const idle = ((times[3] ?? 0) + (times[4] ?? 0)) / TICKS;
    const byProcess = new Map<string, number>();
    for (const { name, pid } of processes) byProcess.set(name, pid === undefined ? 0 : secondsOf(pid));
    return { byProcess, all, idle };
  } catch {
    return undefined;
  }
}

/** Of a process and its children. @returns 0 when it has ended */
function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold blanks: state is the first, utime, stime, cutime and cstime are the 12th to 15th.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const own = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0) / TICKS;
    return childrenOf(pid).reduce((sum, child) => sum + secondsOf(child), own);
  } catch {
    return 0;
  }
}

/**
 * Says how busy the processors were between two looks, and with what: "processors 97 % busy: postgres 45 %, worker 40 %, all others 12 %".
 * Shares are of all processors; processes of one kind, such as `worker-1` and `worker-2`, are taken together.
 */
export function describeUse(before: ProcessorTime | undefined, after: ProcessorTime | undefined): string {
  if (before === undefined || after === undefined) return 'the system does not say what the processors did';
  const all = after.all - before.all;
  const share = (seconds: number) => Math.max(0, Math.round((100 * seconds) / all));
  const kinds = new Map<string, number>();
  for (const [name, seconds] of after.byProcess) {
    const kind = name.replace(/-\d+$/, '');
    // A process that has ended meanwhile is left out.
    const used = Math.max(0, seconds - (before.byProcess.get(name) ?? 0));
    kinds.set(kind, (kinds.get(kind) ?? 0) + used);
  }
  const busy = all - (after.idle - before.idle);
  const known = [...kinds.values()].reduce((sum, seconds) => sum + seconds, 0);
  const parts = [...kinds].sort(([, a], [, b]) => b - a).map(([kind, seconds]) => `${kind} ${share(seconds)} %`);
  return `processors ${share(busy)} % busy: ${parts.join(', ')}, all others ${share(busy - known)} %`;
}
