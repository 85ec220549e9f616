/** Runs what `npm start` and `npm run demo` run, in a process of its own. */
import { type RunningProgram, runProgram } from './run-program.js';

export interface StartProcess extends RunningProgram {
  /** Resolves with the address once it is ready. @throws with standard error when it ends instead */
  readonly ready: Promise<string>;
}

/** @param environment on top of PATH and HOME; nothing else is inherited */
export function runStart(environment: Readonly<Record<string, string>>): StartProcess {
  const program = runAnywhere('app/launcher/start.js', [], environment);
  const ready = program.said(/^ready (.*)\n/m).then(([, address = '']) => address);
  ready.catch(() => undefined);
  return { ...program, ready };
}

/** @param environment on top of PATH and HOME; nothing else is inherited */
export function runDemo(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  program = 'app/demo/main.js',
): RunningProgram {
  return runAnywhere(program, args, environment);
}

/** In the root folder: neither program may depend on where it is started. */
function runAnywhere(
  entry: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): RunningProgram {
  const { PATH = '', HOME = '' } = process.env;
  return runProgram(entry, args, { PATH, HOME, ...environment }, { cwd: '/' });
}
