/** `longshore login`, `logout` and `status`. */
import { LongshoreError } from '@longshore/client';
import type { Command } from 'commander';
import {
  type CommonOptions,
  clientOf,
  findAccess,
  forgetLogin,
  localCredentials,
  requireAddress,
  saveLogin,
  withAccess,
} from '../access.js';
import { ask } from '../ask.js';
import { EXIT } from '../failure.js';
import { count, note, print, printJson, printTable, style } from '../terminal.js';
import { printJobs } from './jobs.js';

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('keep the address and a token of a system, so that all commands use it')
    .option('--url <address>', 'the system (LONGSHORE_URL)')
    .option('--token <token>', 'a token of your account (LONGSHORE_TOKEN)')
    .option('--account <id>', 'your account (LONGSHORE_ACCOUNT)')
    .addHelpText(
      'after',
      `
What is not given is asked for on a terminal. The system that "npm start" runs in this folder needs no login.

Examples:
  longshore login --url https://longshore.example.com --account 0123456789abcdef01234567
  LONGSHORE_TOKEN=… longshore login --url https://longshore.example.com --account 0123456789abcdef01234567`,
    )
    .action(loginCommand);
  program
    .command('logout')
    .description('forget the token')
    .action(() => print(forgetLogin() ? 'The token is forgotten.' : 'There was no login.'));
  withAccess(program.command('status').description('whether the system is ready, and what it did last'))
    .addHelpText('after', '\nExit code: 0 ready, 1 not.\n\nExamples:\n  longshore status\n  longshore status --json')
    .action(statusCommand);
}

async function loginCommand(options: CommonOptions): Promise<void> {
  const { LONGSHORE_URL, LONGSHORE_TOKEN, LONGSHORE_ACCOUNT } = process.env;
  const baseUrl = options.url ?? LONGSHORE_URL ?? (await ask('Address of the system: ', '--url'));
  requireAddress(baseUrl, '--url');
  const account = options.account ?? LONGSHORE_ACCOUNT ?? (await ask('Account: ', '--account'));
  const token = options.token ?? LONGSHORE_TOKEN ?? (await ask('Token: ', '--token', { isSecret: true }));
  // A request that every token of an account may send, if it may read anything.
  await clientOf({ url: baseUrl, token, account }).listJobs({ limit: 1 });
  print(`Logged in to ${baseUrl}. The token is kept in ${saveLogin({ baseUrl, token, account })}`);
  const local = localCredentials();
  if (local !== undefined)
    note(`In this folder the local system is used (${local}); name the other one with --url ${baseUrl}`);
}

const SHOWN_JOBS = 5;

async function statusCommand(options: CommonOptions): Promise<void> {
  const access = findAccess(options);
  const api = clientOf(options);
  const readiness = await api.getReadiness(undefined, { retries: 0 }).catch((error: unknown) => {
    if (error instanceof LongshoreError && error.status === 503 && isReadiness(error.body)) return error.body;
    throw error;
  });
  const isUp = readiness.status !== 'down';
  // One after the other: of two that are refused it would be chance which one is named.
  const jobs = isUp ? await api.listJobs({ limit: SHOWN_JOBS }) : undefined;
  const items = isUp ? await api.listItems({ limit: 1 }) : undefined;
  process.exitCode = isUp ? EXIT.done : EXIT.failed;
  const { baseUrl, account, stage } = access;
  if (options.json) return printJson({ baseUrl, account, stage, readiness, items: items?.count, jobs: jobs?.data });
  const { bold, green, yellow, red, dim } = style(process.stdout);
  const paint = { ok: green, degraded: yellow, down: red }[readiness.status];
  print(`${bold(baseUrl)}  ${paint(readiness.status)}`);
  print(dim(`account ${account}, stage ${stage}, token of ${access.from}`));
  const wrong = Object.entries(readiness.parts).filter(([, part]) => part.message !== undefined);
  if (wrong.length > 0) {
    print();
    printTable(
      ['PART', 'STATUS', 'WHAT IS WRONG'],
      wrong.map(([name, { status, message = '', cure = '' }]) => [name, status, `${message} ${cure}`.trim()]),
    );
  }
  if (jobs === undefined || items === undefined) return;
  print(`${count(items.count)} items`);
  print();
  printJobs(jobs.data);
}

type Readiness = Awaited<ReturnType<ReturnType<typeof clientOf>['getReadiness']>>;

function isReadiness(body: unknown): body is Readiness {
  return typeof body === 'object' && body !== null && 'parts' in body && 'status' in body;
}
