/** Which system is used, and with which token: options, the environment, a local `npm start`, or `longshore login`. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientOptions, createClient, type LongshoreClient, LongshoreError } from '@longshore/client';
import { type Command, InvalidArgumentError } from 'commander';
import envPaths from 'env-paths';
import { CommandError, isRefusal } from './failure.js';
import { commandLine, suggestFor } from './terminal.js';

/** What each command accepts. */
export interface CommonOptions {
  readonly url?: string;
  readonly token?: string;
  readonly account?: string;
  readonly stage?: string;
  readonly channel?: number;
  readonly json?: boolean;
}

export interface Access {
  readonly baseUrl: string;
  readonly token: string;
  readonly account: string;
  readonly stage: string;
  readonly channel: number | undefined;
  /** Where the token is from, for people. */
  readonly from: string;
}

interface Login {
  readonly baseUrl: string;
  readonly token: string;
  readonly account: string;
}

/** That of this program. */
export const VERSION = String(
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: unknown }).version,
);

/** Adds the options that each command accepts. */
export function withAccess(command: Command): Command {
  return withSystem(command).option('--json', 'print the result as JSON');
}

/** Adds the options that say which system and which data set it is. */
export function withSystem(command: Command): Command {
  return command
    .option('--url <address>', 'the system (LONGSHORE_URL)')
    .option('--token <token>', 'a token of your account (LONGSHORE_TOKEN)')
    .option('--account <id>', 'your account (LONGSHORE_ACCOUNT)')
    .option('--stage <name>', 'the data set (LONGSHORE_STAGE; default: production)')
    .option('--channel <number>', 'narrows the data set to a sales channel', wholeNumber);
}

/** Reads a number of an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

/** Where a token is from that is in no file. */
const GIVEN = 'the options or the environment';

/** That of the last command, for advice about errors. */
let used: Access | undefined;

/** @throws CommandError when there are no credentials, or what is given cannot be any */
export function findAccess(options: CommonOptions): Access {
  const { LONGSHORE_URL, LONGSHORE_TOKEN, LONGSHORE_ACCOUNT, LONGSHORE_STAGE } = process.env;
  suggestFor(placeOf(options));
  const token = options.token ?? LONGSHORE_TOKEN;
  const url = options.url ?? LONGSHORE_URL;
  if (url !== undefined) requireAddress(url, options.url === undefined ? 'LONGSHORE_URL' : '--url');
  const found = token === undefined ? storedLogin(url) : undefined;
  const account = options.account ?? LONGSHORE_ACCOUNT ?? found?.login.account;
  if (token === undefined && found === undefined) {
    throw new CommandError(
      `there are no credentials${url === undefined ? '' : ` for ${url}`}: start a system in this folder with "npm start", or log in to one with "${commandLine('login')}"`,
    );
  }
  if (token !== undefined) requireToken(token, options.token === undefined ? 'LONGSHORE_TOKEN' : '--token');
  if (account === undefined) throw new CommandError('name the account of the token: --account (LONGSHORE_ACCOUNT)');
  // A token is never sent to an address that was not named with it.
  const baseUrl = url ?? found?.login.baseUrl;
  if (baseUrl === undefined) throw new CommandError('name the system of the token: --url (LONGSHORE_URL)');
  used = {
    baseUrl,
    token: token ?? found?.login.token ?? '',
    account,
    stage: options.stage ?? LONGSHORE_STAGE ?? 'production',
    channel: options.channel,
    from: found?.from ?? GIVEN,
  };
  return used;
}

/** The options that name a system and a data set, without the token, as they are typed. */
function placeOf({ url, account, stage, channel }: CommonOptions): string[] {
  return Object.entries({ url, account, stage, channel }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
}

/** @throws CommandError @param from the option or the variable */
export function requireAddress(url: string, from: string): void {
  const { protocol = '' } = URL.canParse(url) ? new URL(url) : {};
  if (protocol === 'http:' || protocol === 'https:') return;
  throw new CommandError(`${from} is not an address: "${url}" should begin with http:// or https://`);
}

/** @throws CommandError for what cannot stand in a request @param from the option or the variable */
function requireToken(token: string, from: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(`${from} is not a token: it is empty, or contains blanks or other characters than ASCII`);
}

/** What another server answers, or a Longshore that does not know the operation. */
const NO_SUCH_API = ['NOT_JSON', 'HTTP_404', 'HTTP_405', 'PATH_NOT_FOUND', 'METHOD_NOT_ALLOWED'];
/** What a Longshore says then where its answers have no codes. */
const NO_SUCH_PATH = /: (?:there is nothing at this address|this address (?:supports|does not support))/;

/** What to do about an error, as a sentence; undefined: its message says it. */
export function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof LongshoreError)) return undefined;
  const { code, status, requestId } = error;
  const baseUrl = used?.baseUrl ?? '';
  if (code === 'NETWORK') {
    if (/: TLS: /.test(error.message)) return `Should the address ${baseUrl} begin with http://?`;
    return isLocal(baseUrl)
      ? `Is the system running at ${baseUrl}? Start it with "npm start", or name another one with --url`
      : `Is ${baseUrl} the address of the system? Name another one with --url`;
  }
  if (status === 401) return `The token is that of ${used?.from}: ${adviceForToken(used?.from)}`;
  const isSaid = code.startsWith('HTTP_') && isRefusal(error) && !NO_SUCH_PATH.test(error.message);
  if (NO_SUCH_API.includes(code) && !isSaid) {
    return `Is ${baseUrl} the address of a Longshore, and does its version fit this program, which is ${VERSION}?`;
  }
  return status >= 500 && requestId !== undefined ? `The operator finds it by the request ${requestId}` : undefined;
}

function adviceForToken(from: string | undefined): string {
  if (from === GIVEN) return `give another one, or log in with "${commandLine('login')}"`;
  if (from === loginFile()) return `log in again with "${commandLine('login')}"`;
  return 'does another system run at this address? Start that of this folder with "npm start", which writes a valid one';
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}

/** A client of the system that these options name. @throws CommandError when there are no credentials */
export function clientOf(options: CommonOptions): LongshoreClient {
  return createClient(clientOptionsOf(options));
}

/** What a client of the system needs. @throws CommandError when there are no credentials */
export function clientOptionsOf(options: CommonOptions): ClientOptions {
  const { baseUrl, token, account, stage, channel } = findAccess(options);
  return { baseUrl, token, site: { account, stage, ...(channel === undefined ? {} : { channel }) } };
}

/**
 * The credentials of the system that runs in this folder, otherwise those of `longshore login`, otherwise those of the
 * repository of this program. A token is never sent to another address than its own.
 */
function storedLogin(url: string | undefined): { readonly login: Login; readonly from: string } | undefined {
  const repository = fileURLToPath(new URL('../../../', import.meta.url));
  const candidates = [...localFiles(process.cwd()), loginFile(), join(repository, '.data', 'credentials.json')];
  for (const path of candidates) {
    const login = readLogin(path);
    if (login !== undefined && (url === undefined || sameAddress(url, login.baseUrl))) return { login, from: path };
  }
  return undefined;
}

function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

/** Where `npm start` writes credentials, if it was called in this folder or one above. */
function localFiles(folder: string): string[] {
  const { DATA_DIR } = process.env;
  const files = DATA_DIR === undefined ? [] : [join(resolve(DATA_DIR), 'credentials.json')];
  for (let at = resolve(folder); ; at = dirname(at)) {
    files.push(join(at, '.data', 'credentials.json'));
    if (dirname(at) === at) return files;
  }
}

/** The file of a local system that is used before a login, if there is one. */
export function localCredentials(): string | undefined {
  return localFiles(process.cwd()).find((path) => readLogin(path) !== undefined);
}

function readLogin(path: string): Login | undefined {
  try {
    const { baseUrl, token, account } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    const isComplete = typeof baseUrl === 'string' && typeof token === 'string' && typeof account === 'string';
    return isComplete ? { baseUrl, token, account } : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of this program's own files. */
export function configFolder(): string {
  return process.env.LONGSHORE_CONFIG_DIR ?? envPaths('longshore', { suffix: '' }).config;
}

function loginFile(): string {
  return join(configFolder(), 'login.json');
}

/** Keeps credentials so that only this user can read them. @returns the file */
export function saveLogin(login: Login): string {
  const path = loginFile();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}

/** @returns whether there was a login */
export function forgetLogin(): boolean {
  const path = loginFile();
  const was = existsSync(path);
  rmSync(path, { force: true });
  return was;
}
