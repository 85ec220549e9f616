/** Ends a foreign program when this process dies: a shell waits on a pipe that breaks then, and sends the signal. */
import { spawn } from 'node:child_process';

const SCRIPT = `
  # The launcher writes nothing: read returns when the launcher has died.
  read -r line
  kill -INT "$1" 2>/dev/null
  [ -n "$2" ] || exit 0
  tries=0
  while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
  rm -rf "$2"
`;

export interface DeathGuard {
  /** Call this when the guarded process has ended, because its pid may be given to another process. */
  dismiss(): void;
}

/**
 * Makes sure that a process ends when this process dies.
 * @param folder is removed afterwards
 */
export function guardAgainstOurDeath(pid: number, folder = ''): DeathGuard {
  // It is detached, so that a signal to our process group does not kill the guard as well.
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(pid), folder], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  guard.stdin.on('error', () => {
    // The guard was killed by somebody else.
  });
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return {
    dismiss: () => {
      // A signal is used, because this process may end before the guard has read a message.
      guard.kill('SIGKILL');
      guard.stdin.destroy();
    },
  };
}
