/** Tells whether a process of the same machine still runs, from what it has written about itself. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names the PID namespace of this process: processes with the same one can look each other up by their pids. A container
 * has its own. The boot and the host are part of the name, because the first namespace is called the same everywhere.
 * Null: it cannot be known, as on systems other than Linux.
 */
export function pidNamespace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${hostname()}`;
  } catch {
    return null;
  }
}

/**
 * Whether a process of this PID namespace has the pid. One that has ended is taken for running only while its parent has not
 * noticed its end, or if another process has got its pid.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs under another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
