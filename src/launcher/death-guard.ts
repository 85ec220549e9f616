/** Sees to it that a foreign program does not outlive us: a shell waits on a pipe that breaks when we die, and then ends it. */
import { spawn } from 'node:child_process';

const SCRIPT = `
  # Nobody writes to the pipe: it ends with us.
  read -r line
  kill -INT "$1" 2>/dev/null
  [ -n "$2" ] || exit 0
  tries=0
  while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
  rm -rf "$2"
`;

export interface DeathGuard {
  /** To be called once the guarded process has ended: its pid may become another's. */
  dismiss(): void;
}

/**
 * Guards a process for as long as we live.
 * @param folder removed once the process has ended after our death
 */
export function guardAgainstOurDeath(pid: number, folder = ''): DeathGuard {
  // Detached: what kills our process group must not kill the guard with it.
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(pid), folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => {
    // It was killed by hand: nothing to dismiss.
  });
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return {
    dismiss: () => {
      // Killed rather than told: we may be gone before a message is through.
      guard.kill('SIGKILL');
      guard.stdin.destroy();
    },
  };
}
