/** What the exit code says, and how errors are shown. */
import { LongshoreError } from '@longshore/client';
import { inOwnWords } from './own-words.js';
import { style } from './terminal.js';

/** 0: done, and every row was applied; 1: refused or failed; 2: some rows failed. */
export const EXIT = { done: 0, failed: 1, someRowsFailed: 2, awaitsApproval: 3 } as const;

/** A mistake whose message is a sentence for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

const MAX_PROBLEMS = 10;

/**
 * Writes an error for people to standard error: one line, and one more for each of several problems of a request.
 * @param advice what to do about it, as a sentence
 * @returns the exit code
 */
export function report(error: unknown, advice?: string): number {
  const { bold, red } = style(process.stderr);
  const problems = error instanceof LongshoreError ? error.problems : [];
  const [only] = problems.length === 1 ? problems.map(problemText) : [];
  const message = messageOf(error, advice !== undefined);
  // The message of a request with one problem often contains it.
  const text = only === undefined || message.includes(only) ? message : `${message}: ${only}`;
  const say = (line: string) => process.stderr.write(`${line}\n`);
  say(`${red(bold('error'))} ${advice === undefined ? text : `${text.replace(/\.$/, '')}. ${advice}`}`);
  if (only === undefined) for (const problem of problems.slice(0, MAX_PROBLEMS)) say(`  ${problemText(problem)}`);
  if (problems.length > MAX_PROBLEMS) say(`  and ${problems.length - MAX_PROBLEMS} more`);
  if (process.env.LONGSHORE_DEBUG && error instanceof Error) say(error.stack ?? '');
  return EXIT.failed;
}

function problemText({ path, message }: { readonly path?: string; readonly message: string }): string {
  return inOwnWords(path === undefined ? message : `${path}: ${message}`);
}

/** @param isAdvised whether advice about the request follows, which it names then */
function messageOf(error: unknown, isAdvised: boolean): string {
  if (error instanceof CommandError) return error.message.trim();
  if (error instanceof LongshoreError) return inOwnWords(isAdvised ? error.message.trim() : saidByApi(error));
  const said = fileProblem(error);
  if (said !== undefined) return said;
  const message = error instanceof Error ? error.message : String(error);
  return `unexpected: ${message.replace(/\s+/g, ' ')} (is the system of another version? LONGSHORE_DEBUG=1 shows where it happened)`;
}

/** What the API says of a request that it refuses, without the request: who typed a command has not sent one. */
function saidByApi({ request, status, code, message }: LongshoreError): string {
  const prefix = `${request} was answered ${status}: `;
  const isRefused = status >= 400 && status < 500 && !code.startsWith('HTTP_');
  if (!isRefused || !message.startsWith(prefix)) return message.trim();
  return message
    .slice(prefix.length)
    .replace(/^the (?:body|query) is not as expected: /, '')
    .trim();
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist: a part of its path is a file',
  EISDIR: 'is a folder: name a file',
  EACCES: 'is not allowed to be used by you: change its permissions, or name another one',
  EPERM: 'is not allowed to be used by you: change its permissions, or name another one',
  EROFS: 'is on a disk that cannot be written: name another place',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: your part of the disk is full',
  ENAMETOOLONG: 'is a name that is too long for this disk',
};

/** What is wrong with a file; undefined: the error is of another kind. */
function fileProblem(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'a file';
  const problem = FILE_PROBLEMS[String(error.code)];
  return problem === undefined ? error.message : `${path} ${problem}`;
}
