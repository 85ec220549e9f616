/** The processes that a process has started. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { listProcesses, processIdentity, type RunningProcess } from '../../../src/launcher/process-table.js';

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
