/** Runs a compiled entry point as its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('../../../', import.meta.url));

interface ProgramEnd {
  /** The exit code, or the signal that ended it. */
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly process: ChildProcess;
  /** Standard output so far. */
  stdout(): string;
  /** Standard error so far. */
  stderr(): string;
  readonly end: Promise<ProgramEnd>;
  /** The exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  /** Resolves with the first text on either stream that matches. @throws when the process ends before */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to a process that still runs, and waits for its end. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** As root: the user to become. */
  readonly uid?: number | undefined;
}

/**
 * @param entry path under the build, such as `app/api/main.js`, or an absolute path
 * @param environment nothing else is inherited
 */
export function runProgram(
  entry: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { uid, ...options }: ProgramOptions = {},
): RunningProgram {
  const child = spawn(process.execPath, [resolve(BUILD, entry), ...args], {
    ...options,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const heard = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    heard();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    heard();
  });
  const exit = new Promise<number | NodeJS.Signals>((settle, reject) => {
    child.once('error', reject);
    // A process that has closed its streams has a code or was ended by a signal.
    child.once('close', (code, signal) => settle(code ?? signal ?? 'SIGKILL'));
  });
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    end: exit.then((code) => ({ code, stdout, stderr })),
    exit,
    said: (pattern) =>
      new Promise((settle, reject) => {
        const watcher = (): void => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (match === null) return;
          watchers.delete(watcher);
          settle(match);
        };
        watchers.add(watcher);
        watcher();
        exit.then((code) => reject(new Error(`it ended with ${code} without saying ${pattern}: ${stderr}`)), reject);
      }),
    stop: (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exit;
    },
  };
}
