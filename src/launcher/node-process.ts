/** Starts one of our own programs as a child process, which writes its output to a log and ends when we end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLog } from './log-file.js';
import { ALLOCATOR, PROCESS_TYPES } from './process-types.js';

const BUILT = new URL('../../', import.meta.url);
const LIFELINE = new URL('app/launcher/lifeline.js', BUILT).href;

/** Called with each line that a process writes, instead of writing it to the log file. */
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
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe', 'pipe', 'ipc'],
      // It has its own group: a terminal's signal would reach it twice, and the second one means "at once".
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
