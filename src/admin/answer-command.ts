/** What a command of `npm run admin` prints, and its exit code. */
import { connectDb } from '../../db/connection.js';
import { loadAdminDatabaseUrl, loadAdminSecretsKeys } from '../config/admin-config.js';
import { ConfigError } from '../config/config.js';
import { DomainError } from '../domain/kernel/errors.js';
import { LaunchError } from '../launcher/launch-error.js';
import { UsageError } from './commands/command.js';
import { isSystemCommand, parseCommand, runCommand, usage } from './parse-command.js';
import { showAnswer } from './show-answer.js';
import { whoRuns } from './who-runs.js';

const HELP = new Set(['--help', '-h']);

export interface Printed {
  readonly code: 0 | 1;
  readonly stdout: string;
  readonly stderr: string;
}

/** Never rejects: what goes wrong is written to `stderr`, in one line if the person can correct it. */
export async function answerCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Printed> {
  try {
    const { text, isWrong } = await execute(args, environment);
    return { code: isWrong ? 1 : 0, stdout: text, stderr: '' };
  } catch (error) {
    return { code: 1, stdout: '', stderr: explained(error) };
  }
}

async function execute(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly text: string; readonly isWrong: boolean }> {
  if (args.length === 0 || args[0] === 'help' || args.some((arg) => HELP.has(arg))) {
    return { text: usage(args), isWrong: false };
  }
  const parsed = parseCommand(args);
  if (isSystemCommand(parsed)) {
    const { answer, isWrong = false } = await parsed.command.inSystem(environment, parsed.options, parsed.argument);
    return { text: showAnswer(answer, parsed.json), isWrong };
  }
  const db = connectDb({ url: loadAdminDatabaseUrl(environment), poolMax: 2, name: 'longshore-admin' });
  try {
    const answer = await runCommand(db, parsed, () => loadAdminSecretsKeys(environment), whoRuns());
    return { text: showAnswer(answer, parsed.json), isWrong: false };
  } finally {
    await db.destroy();
  }
}

/** One sentence for errors that the person can correct, and the stack of all others. */
function explained(error: unknown): string {
  if (
    error instanceof UsageError ||
    error instanceof DomainError ||
    error instanceof ConfigError ||
    error instanceof LaunchError
  ) {
    return `${error.message}\n`;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    return 'the database cannot be reached; is npm start running, or is DATABASE_URL right?\n';
  }
  if (code === '42P01') return 'the database has no tables yet; run npm run release first\n';
  return `${(error instanceof Error && error.stack) || String(error)}\n`;
}
