/** `longshore`: imports files, follows jobs, shows errors, exports, and receives webhooks. Exit codes: failure.ts. */
import { endProgram } from './interrupts.js';
import { runCommand } from './run-command.js';

// A reader that has seen enough (`| head`) ends the program like every other.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  process.stdout.on('error', () => undefined);
  endProgram(error.code === 'EPIPE' ? 0 : 1);
});
// Nobody reads what is said about the end when the terminal is closed.
process.stderr.on('error', () => undefined);
process.exitCode = await runCommand(process.argv.slice(2));
