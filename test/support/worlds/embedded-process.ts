/** Drives embedded-child in a process of its own. */
import { type RunningProgram, runProgram } from './run-program.js';

/** What the child says once: the address of the database and the pid of the server, or why there is none. */
interface EmbeddedOutcome {
  readonly url?: string;
  readonly pid?: number;
  readonly refused?: string;
}

export interface EmbeddedProcess extends RunningProgram {
  readonly outcome: Promise<EmbeddedOutcome>;
}

export interface EmbeddedProcessOptions {
  readonly dataDir: string;
  readonly move?: boolean;
  /** As root: the user to become. */
  readonly uid?: number;
  /** The child's program, when it is not the one of this build. */
  readonly program?: string;
}

export function runEmbedded({
  dataDir,
  move = false,
  uid,
  program = 'test/support/worlds/embedded-child.js',
}: EmbeddedProcessOptions): EmbeddedProcess {
  const { PATH = '', HOME = '' } = process.env;
  const child = runProgram(program, [dataDir, ...(move ? ['move'] : [])], { PATH, HOME }, { cwd: '/', uid });
  const outcome = child
    .said(/^(\{"(?:url|refused)":.*\})\n/m)
    .then(([, json = '']) => JSON.parse(json) as EmbeddedOutcome);
  outcome.catch(() => undefined);
  return { ...child, outcome };
}
