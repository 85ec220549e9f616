/** Runs a compiled entry point as its own process and waits for its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface ProgramEnd {
  /** Null: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly process: ChildProcess;
  readonly end: Promise<ProgramEnd>;
  /** Resolves with the first text on either stream that matches. @throws when the process ends before */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

/** @param entry path under the build, such as `src/api/main.js` */
export function runProgram(
  entry: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningProgram {
  const file = fileURLToPath(new URL(`../../../${entry}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const heard = (): void => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    heard();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    heard();
  });
  const end = new Promise<ProgramEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    process: child,
    end,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const watcher = (): void => {
          const match = pattern.exec(stdout) ?? pattern.exec(stderr);
          if (match === null) return;
          watchers.delete(watcher);
          resolve(match);
        };
        watchers.add(watcher);
        watcher();
        void end.then(() => reject(new Error(`it ended without saying ${pattern}: ${stderr}`)));
      }),
  };
}
