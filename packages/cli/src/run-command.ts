/** Runs one command, and says how it ended. */
import { CommanderError } from 'commander';
import { adviceFor } from './access.js';
import { report } from './failure.js';
import { createProgram } from './program.js';

/**
 * Runs a command. Errors are written to standard error.
 * @param args as they are typed, without the name of the program
 * @returns the exit code
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  process.exitCode = 0;
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return process.exitCode;
  } catch (error) {
    return error instanceof CommanderError ? Math.min(error.exitCode, 1) : report(error, adviceFor(error));
  }
}
