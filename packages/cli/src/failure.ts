/** What the exit code says, and how errors are shown. */
import { LongshoreError } from '@longshore/client';
import { inOwnWords } from './own-words.js';
import { style } from './terminal.js';

/** 0: done, and every row was applied; 1: refused or failed; 2: some rows failed; 3: the job waits for an approval. */
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
  const [only] = problems.length === 1 ? problems : [];
  const message = messageOf(error, advice !== undefined);
  // The message of a request with one problem often contains it.
  const isComplete = only === undefined || message.includes(inOwnWords(only.message));
  const text = isComplete ? message : `${message}: ${problemText(only)}`;
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

/** @param isNamed whether the request is named, because advice about it follows */
function messageOf(error: unknown, isNamed: boolean): string {
  if (error instanceof CommandError) return error.message.trim();
  if (error instanceof LongshoreError) return inOwnWords(isNamed ? error.message.trim() : saidByApi(error));
  const said = fileProblem(error);
  if (said !== undefined) return said;
  const message = error instanceof Error ? error.message : String(error);
  return `unexpected: ${message.replace(/\s+/g, ' ')} (is the system of another version? LONGSHORE_DEBUG=1 shows where it happened)`;
}

/** Whether it is a Longshore that refuses the request. Not every area of the API has codes: a message and a request id say it, too. */
export function isRefusal({ status, code, body, requestId }: LongshoreError): boolean {
  if (status < 400 || status >= 500) return false;
  if (!code.startsWith('HTTP_')) return true;
  return requestId !== undefined && typeof body === 'object' && body !== null && 'message' in body;
}

/** What the API says of a request that it refuses, without the request: who typed a command has not sent one. */
function saidByApi(error: LongshoreError): string {
  const { request, status, message } = error;
  const prefix = `${request} was answered ${status}: `;
  if (!isRefusal(error) || !message.startsWith(prefix)) return message.trim();
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
