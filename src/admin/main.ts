/** `npm run admin`: manages accounts, tokens and OAuth clients, for everyone who can reach the database. */
import { connectDb } from '../../db/connection.js';
import { loadAdminDatabaseUrl, loadAdminSecretsKeys } from '../config/admin-config.js';
import { ConfigError } from '../config/config.js';
import { DomainError } from '../domain/kernel/errors.js';
import { parseCommand, UsageError, usage } from './parse-command.js';
import { showAnswer } from './show-answer.js';

async function main(args: readonly string[]): Promise<string> {
  if (args.length === 0 || args.includes('--help') || args[0] === 'help') return usage();
  const { command, options, argument, json } = parseCommand(args);
  const db = connectDb({ url: loadAdminDatabaseUrl(process.env), poolMax: 2, name: 'longshore-admin' });
  try {
    return showAnswer(await command.run(db, options, argument, () => loadAdminSecretsKeys(process.env)), json);
  } finally {
    await db.destroy();
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
