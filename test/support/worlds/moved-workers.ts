/** Worker processes whose clocks are apart, and that are started again whenever they end. */
import { fileURLToPath } from 'node:url';
import { type RunningProgram, runProgram } from './run-program.js';

const CLOCK = fileURLToPath(new URL('../faults/moved-clock.js', import.meta.url));

export interface MovedWorkers {
  /** Kills one of them, which another one follows. */
  kill(number: number): Promise<void>;
  /** How many processes were started. */
  started(): number;
  /** What the processes have logged. */
  log(): string;
  stop(): Promise<void>;
}

/** @param movedMs by how much the clock of each is moved @param environment as a program of the same system has it */
export function startMovedWorkers(
  movedMs: readonly number[],
  environment: Readonly<Record<string, string>>,
): MovedWorkers {
  let isOver = false;
  let logged = '';
  let started = 0;
  const running: RunningProgram[] = [];
  const keep = async (number: number, ms: number) => {
    while (!isOver) {
      const moved = { NODE_OPTIONS: `--import ${CLOCK}`, CLOCK_MOVED_MS: String(ms) };
      const program = runProgram('app/workers/main.js', [], { ...environment, ...moved });
      running[number] = program;
      started++;
      const { stdout, stderr } = await program.end;
      logged += stdout + stderr;
    }
  };
  const kept = movedMs.map((ms, number) => keep(number, ms));
  return {
    kill: async (number) => {
      await running[number]?.stop('SIGKILL');
    },
    started: () => started,
    log: () => logged,
    stop: async () => {
      isOver = true;
      for (const program of running) await program.stop('SIGKILL');
      await Promise.all(kept);
    },
  };
}
