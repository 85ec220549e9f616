/** What a command of `npm run admin` prints, and its exit code. */
import { CommanderError } from 'commander';
import { connectDb, type Db } from '../../db/connection.js';
import { DATABASE_CURES } from '../api/readiness/database.js';
import { loadAdminDatabaseUrl, loadAdminSecretsKeys } from '../config/admin-config.js';
import { ConfigError } from '../config/config.js';
import { requireAccount } from '../domain/access/accounts.js';
import { recordAudit } from '../domain/access/audit.js';
import { DomainError } from '../domain/kernel/errors.js';
import { LaunchError } from '../launcher/launch-error.js';
import { codeOf } from '../platform/error-code.js';
import { outageOf } from '../platform/outage.js';
import { type Answer, type Command, type OptionValues, textOf, UsageError } from './commands/command.js';
import { createProgram, type Typed } from './program.js';
import { whoRuns } from './who-runs.js';

export interface Printed {
  readonly code: 0 | 1;
  readonly stdout: string;
  readonly stderr: string;
}

/** Never rejects: what goes wrong is written to `stderr`, in one line if the person can correct it. */
export async function answerCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Printed> {
  let [stdout, stderr, isWrong] = ['', '', false];
  const writeOut = (text: string) => {
    stdout += text;
  };
  const writeErr = (text: string) => {
    stderr += text;
  };
  const program = createProgram({ writeOut, writeErr }, async (typed) => {
    isWrong = await execute(typed, environment, writeOut);
  });
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) isWrong = error.exitCode !== 0;
    else return { code: 1, stdout: '', stderr: explained(error) };
  }
  return { code: isWrong ? 1 : 0, stdout, stderr };
}

/** @returns whether the command has found that something is wrong */
async function execute(
  { command, options, argument }: Typed,
  environment: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<boolean> {
  const show = (answer: Answer) => write(showAnswer(answer, options.json === true));
  if ('inSystem' in command) {
    const { answer, isWrong = false } = await command.inSystem(environment, options, argument);
    show(answer);
    return isWrong;
  }
  const db = connectDb({ url: loadAdminDatabaseUrl(environment), poolMax: 2, name: 'longshore-admin' });
  try {
    show(await runCommand(db, command, options, argument, () => loadAdminSecretsKeys(environment)));
    return false;
  } finally {
    await db.destroy();
  }
}

/** Runs a command, and records what it did in the audit log, in one transaction. */
async function runCommand(
  db: Db,
  { audit, run }: Command,
  options: OptionValues,
  argument: string,
  secretsKeys: () => readonly string[],
): Promise<Answer> {
  // A misspelt id would look like an account in which there is nothing.
  const account = textOf(options, 'account');
  if (account !== undefined) await requireAccount(db, account);
  if (audit === undefined) return run(db, options, argument, secretsKeys);
  const runIn = async (within: Db) => {
    const answer = await run(within, options, argument, secretsKeys);
    const actor = { kind: 'admin', id: whoRuns(), address: null, requestId: null } as const;
    const action = typeof audit.action === 'string' ? audit.action : audit.action(argument);
    await recordAudit(within, [{ actor, action, ...audit.about({ ...answer }) }]);
    return answer;
  };
  return audit.commitsItself === true ? runIn(db) : db.transaction(runIn);
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
  // Models wrap the error of the driver.
  const cause = error instanceof Error && 'nativeError' in error ? error.nativeError : error;
  const code = codeOf(cause);
  const message = cause instanceof Error ? cause.message : '';
  if (code === '42P01') return 'the database has no tables yet; run npm run release first\n';
  if (DATABASE_CURES[code] !== undefined) return `${message}: ${DATABASE_CURES[code]}\n`;
  switch (outageOf(error)) {
    case 'database':
      // With a code of its own, it was Postgres that has answered: too many connections, a full disk, a standby.
      if (/^[0-9][0-9A-Z]{4}$/.test(code)) return `the database refuses: ${message}\n`;
      return 'the database cannot be reached; is npm start running, or is DATABASE_URL right?\n';
    case 'queue':
      return 'the queue does not answer; does Redis run, and is REDIS_URL right?\n';
    case 'file store':
      return `${message}: a folder, or the file store (STORAGE_URL), cannot be used\n`;
  }
  return `${(error instanceof Error && error.stack) || String(error)}\n`;
}

/** JSON on one line; or, for people, one `name  value` on each line and a blank line between the elements of a list. */
function showAnswer(answer: Answer, json: boolean): string {
  if (json) return `${JSON.stringify(answer)}\n`;
  const blocks = Array.isArray(answer) ? answer.map(blockOf) : [blockOf(answer)];
  return blocks.length === 0 ? 'none\n' : `${blocks.join('\n\n')}\n`;
}

function blockOf(entry: object): string {
  const fields = Object.entries(entry).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n');
}

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(' ') : String(value);
}
