/** Finds processes by their command line, and distinguishes a process from a later one with the same pid. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from './launch-error.js';

const LINUX = process.platform === 'linux';

export interface RunningProcess {
  readonly pid: number;
  /** The command line, arguments separated by spaces. */
  readonly command: string;
}

/**
 * Distinguishes this process from all others that had or will have its pid: the boot and the time of its start.
 * Undefined: there is no such process, or it is a zombie.
 */
export function processIdentity(pid: number): string | undefined {
  return LINUX ? linuxIdentity(pid) : psIdentity(pid);
}

/** All processes that this user can see. */
export function listProcesses(): RunningProcess[] {
  return LINUX ? linuxProcesses() : psProcesses();
}

/** Sends a signal; false when the process is gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readProc(`${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in brackets, may contain anything. After the last bracket follow state, ppid, ..., starttime (20th).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${readProc('sys/kernel/random/boot_id')?.trim() ?? ''} ${fields[19] ?? ''}`;
}

function linuxProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: (readProc(`${name}/cmdline`) ?? '').split('\0').join(' ').trim() }))
    .filter(({ command }) => command !== '');
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    // The process has ended meanwhile, or is hidden from this user.
    return undefined;
  }
}

function psIdentity(pid: number): string | undefined {
  const [state, ...started] = ps('-o', 'state=,lstart=', '-p', String(pid)).trim().split(/\s+/);
  return state === undefined || state === '' || state.startsWith('Z') ? undefined : started.join(' ');
}

function psProcesses(): RunningProcess[] {
  return ps('-axww', '-o', 'pid=,command=')
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ pid: Number(match[1]), command: match[2] ?? '' }));
}

function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, {
      env: { PATH: '/usr/bin:/bin' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    // ps exits with 1 when it finds no process.
    return '';
  }
}
