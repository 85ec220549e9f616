/** `npm run admin`: manages accounts, tokens and OAuth clients, and looks after the system, for everyone who can reach the database. */
import { answerCommand } from './answer-command.js';

const { code, stdout, stderr } = await answerCommand(process.argv.slice(2), process.env);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
