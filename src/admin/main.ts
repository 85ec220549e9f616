/** `npm run admin`: manages accounts, tokens and OAuth clients, for everyone who can reach the database. */
import { hostname, userInfo } from 'node:os';
import { connectDb } from '../../db/connection.js';
import { loadAdminDatabaseUrl, loadAdminSecretsKeys } from '../config/admin-config.js';
import { ConfigError } from '../config/config.js';
import { DomainError } from '../domain/kernel/errors.js';
import { parseCommand, runCommand, UsageError, usage } from './parse-command.js';
import { showAnswer } from './show-answer.js';

async function main(args: readonly string[]): Promise<string> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') return usage();
  const parsed = parseCommand(args);
  const db = connectDb({ url: loadAdminDatabaseUrl(process.env), poolMax: 2, name: 'longshore-admin' });
  try {
    const answer = await runCommand(db, parsed, () => loadAdminSecretsKeys(process.env), whoRuns());
    return showAnswer(answer, parsed.json);
  } finally {
    await db.destroy();
  }
}

/** The user and the machine, for the audit log. */
function whoRuns(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // In a container, the user of the process may have no name.
    return `user ${process.getuid?.() ?? '?'}@${hostname()}`;
  }
}

/** One sentence for errors that the person can correct, and the stack of all others. */
function explained(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage()}`;
  if (error instanceof DomainError || error instanceof ConfigError) return `${error.message}\n`;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    return 'the database cannot be reached; is npm start running, or is DATABASE_URL right?\n';
  }
  if (code === '42P01') return 'the database has no tables yet; run npm run release first\n';
  return `${(error instanceof Error && error.stack) || String(error)}\n`;
}

try {
  process.stdout.write(await main(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(explained(error));
  process.exitCode = 1;
}
