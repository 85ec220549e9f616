/** `longshore`: imports files, follows jobs, shows errors, exports, and receives webhooks. Exit codes: failure.ts. */
import { runCommand } from './run-command.js';

// A reader that has seen enough (`| head`) ends the program like every other.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await runCommand(process.argv.slice(2));
