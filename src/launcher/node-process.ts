/** Starts one of our own programs as the system's child: its output in a log, its life tied to ours. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openLog } from './log-file.js';

const BUILT = new URL('../../', import.meta.url);
const LIFELINE = new URL('lifeline.js', import.meta.url).href;

/** The programs of the build, by what they do. */
const PROGRAMS = {
  release: 'src/release/main.js',
  web: 'src/api/main.js',
  worker: 'src/workers/main.js',
} as const;

/** A small nursery: see platform/small-heap.ts. The Procfile says the same. */
const NODE_FLAGS = ['--max-semi-space-size=4'];

/**
 * Has glibc give buffers back to the system once they are freed, in place of keeping them in pieces between others: by
 * itself it moves its threshold up to the largest buffer it has seen. Other C libraries know neither. The Procfile says
 * the same.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' };

/** Told each line that a process writes, instead of its log file. */
export type LogSink = (process: string, line: string) => void;

export interface NodeProcessOptions {
  readonly name: string;
  readonly program: keyof typeof PROGRAMS;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly logSink?: LogSink | undefined;
}

export function spawnNode({ name, program, environment, logFile, logSink }: NodeProcessOptions): ChildProcess {
  const path = fileURLToPath(new URL(PROGRAMS[program], BUILT));
  const log = logSink === undefined ? openLog(logFile).fd : undefined;
  try {
    const child = spawn(process.execPath, [...NODE_FLAGS, '--import', LIFELINE, path], {
      env: { ...ALLOCATOR, ...environment },
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
