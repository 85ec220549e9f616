/** Starts one of our own programs as the system's child: its output in a log, its life tied to ours. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLog } from './log-file.js';
import { ALLOCATOR, PROCESS_TYPES } from './process-types.js';

const BUILT = new URL('../../', import.meta.url);
const LIFELINE = new URL('lifeline.js', import.meta.url).href;

/** Told each line that a process writes, instead of its log file. */
export type LogSink = (process: string, line: string) => void;

interface NodeProcessOptions {
  readonly name: string;
  readonly program: 'release' | 'web' | 'worker';
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly logSink?: LogSink | undefined;
}

export function spawnNode({ name, program, environment, logFile, logSink }: NodeProcessOptions): ChildProcess {
  const { program: path, nodeFlags } = PROCESS_TYPES[program];
  const log = logSink === undefined ? openLog(logFile).fd : undefined;
  try {
    const child = spawn(process.execPath, [...nodeFlags, '--import', LIFELINE, fileURLToPath(new URL(path, BUILT))], {
      env: { ...(nodeFlags.length === 0 ? {} : ALLOCATOR), ...environment },
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe', 'pipe'],
      // A group of its own: a signal to the terminal's group would reach it twice, and the second means "at once".
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', (line) => logSink?.(name, line));
    }
    child.stdio[3]?.on('error', () => undefined);
    return child;
  } finally {
    if (log !== undefined) closeSync(log);
  }
}
