/** The commands of `npm run admin`, and how they are parsed. */

import { parseArgs } from 'node:util';
import type { Db } from '../../db/connection.js';
import { chooseAfterFailure, createAccount, listAccounts } from '../domain/access/accounts.js';
import { AUDIT_ACTIONS, type AuditAction, type AuditEntry, pageAudit, recordAudit } from '../domain/access/audit.js';
import {
  createClient,
  createToken,
  listClients,
  listTokens,
  revokeClient,
  revokeToken,
} from '../domain/access/authenticate.js';
import { callbackSecrets, rotateCallbackSecret } from '../domain/access/callback-secret.js';
import { QUOTA_NAMES, setQuotas, showQuotas } from '../domain/access/quotas.js';
import { resealAccountSecrets } from '../domain/access/reseal-secrets.js';
import { ACCOUNT_SCOPES } from '../domain/access/scopes.js';
import { nearestName } from '../domain/kernel/nearest-name.js';
import { resealDefinitionSecrets } from '../domain/webhooks/definitions.js';
import { systemCommands } from './system-commands.js';

// The interface of the commands of `npm run admin`.

interface Option {
  readonly description: string;
  readonly required?: boolean;
  /** True: the option has no value. */
  readonly flag?: boolean;
}

type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

/** The answer of a command: shown as lines of names and values, one block for each element of a list, or as JSON. */
export type Answer = object | readonly object[];

interface CommandAudit {
  /** A function of the argument where that decides what is done. */
  readonly action: AuditAction | ((argument: string) => AuditAction);
  /** The account and the thing that the command concerned. */
  about(answer: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'accountId' | 'target'>;
  /** Whether the command commits by itself, in parts, and is recorded afterwards. */
  readonly commitsItself?: boolean;
}

interface Command {
  /** The name as it is typed: `token create`. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** The argument after the name, if the command has one: `<token id>`. */
  readonly argument?: string;
  /** What the audit log says of it; undefined: it only reads. */
  readonly audit?: CommandAudit;
  /** @param secretsKeys reads the keys that encrypt secrets; throws ConfigError when there are none */
  run(db: Db, options: OptionValues, argument: string, secretsKeys: () => readonly string[]): Promise<Answer>;
}

/** The arguments are wrong. The message says in one line what is wrong, and what was probably meant. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The text of an option; undefined when it is not given. */
function textOf(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** The text of a required option. @throws UsageError */
function requiredText(options: OptionValues, name: string): string {
  const value = textOf(options, name);
  if (value === undefined) throw new UsageError(`--${name} is required`);
  return value;
}

/** The list in an option, separated by commas or spaces. */
function listOf(options: OptionValues, name: string): string[] | undefined {
  return textOf(options, name)
    ?.split(/[\s,]+/)
    .filter((entry) => entry !== '');
}

// npm run admin -- account …

const accountCommands: readonly Command[] = [
  {
    name: 'account create',
    summary: 'Create an account and show its id',
    options: {
      name: { description: 'the name of the account', required: true },
      id: { description: '24 lowercase hexadecimal characters, if the account has an id already' },
    },
    audit: { action: 'ACCOUNT_CREATED', about: ({ id }) => ({ accountId: String(id), target: `account/${id}` }) },
    run: (db, options) => createAccount(db, { name: requiredText(options, 'name'), id: textOf(options, 'id') }),
  },
  {
    name: 'account list',
    summary: 'Show all accounts',
    options: {},
    run: (db) => listAccounts(db),
  },
  {
    name: 'account after-failure',
    summary: 'Choose whether the jobs behind a FAILED job of the same stage go on (the default) or wait to be resumed',
    argument: '<continue|pause>',
    options: { account: { description: 'the id of the account', required: true } },
    audit: {
      action: 'ACCOUNT_AFTER_FAILURE_CHANGED',
      about: ({ id, afterFailure }) => ({ accountId: String(id), target: `after-failure/${afterFailure}` }),
    },
    run: async (db, options, choice) => {
      if (choice !== 'continue' && choice !== 'pause')
        throw new UsageError('account after-failure: give continue or pause');
      return chooseAfterFailure(db, requiredText(options, 'account'), choice);
    },
  },
  {
    name: 'account quotas',
    summary: 'Show the quotas of an account, and how much of them it uses',
    options: { account: { description: 'the id of the account', required: true } },
    run: (db, options) => showQuotas(db, requiredText(options, 'account')),
  },
  {
    name: 'account limit',
    summary: 'Set or remove quotas of an account; what is left out stays. Processes follow within seconds',
    options: {
      account: { description: 'the id of the account', required: true },
      requests: { description: 'requests in a minute, or none for no limit, like the following' },
      rows: { description: 'rows in jobs that have not ended' },
      bytes: { description: 'bytes in the file store' },
      uploads: { description: 'announced files that wait for their upload' },
      stages: { description: 'stages' },
    },
    audit: {
      action: 'ACCOUNT_QUOTAS_CHANGED',
      about: (answer) => ({
        accountId: String(answer.accountId),
        target: `quotas/${QUOTA_NAMES.map((name) => `${name}=${answer[name]}`).join(',')}`,
      }),
    },
    run: (db, options) => {
      const given = QUOTA_NAMES.flatMap((name) => {
        const text = textOf(options, name);
        return text === undefined ? [] : [[name, limitOf(name, text)] as const];
      });
      if (given.length === 0) throw new UsageError(`account limit: give one of --${QUOTA_NAMES.join(', --')}`);
      return setQuotas(db, requiredText(options, 'account'), Object.fromEntries(given));
    },
  },
  {
    name: 'account secret',
    summary: 'Show or replace the secret that signs the callbacks of jobs; an old secret signs too for 24 hours',
    argument: '<show|rotate>',
    options: { account: { description: 'the id of the account', required: true } },
    audit: {
      action: (argument) => (argument === 'rotate' ? 'ACCOUNT_SECRET_ROTATED' : 'ACCOUNT_SECRET_SHOWN'),
      about: ({ accountId }) => ({ accountId: String(accountId), target: 'callback-secret' }),
    },
    run: async (db, options, action, secretsKeys) => {
      const accountId = requiredText(options, 'account');
      if (action !== 'show' && action !== 'rotate')
        throw new UsageError('account secret: give the action show or rotate');
      if (action === 'rotate') await rotateCallbackSecret(db, secretsKeys(), accountId);
      const [signingSecret, previous] = await callbackSecrets(db, secretsKeys(), accountId);
      return { accountId, signingSecret, previousSigningSecret: previous ?? null };
    },
  },
];

function limitOf(name: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} must be a whole number or none, not "${text}"`);
}

// npm run admin -- client …

const account = { description: 'the account to which it belongs', required: true };

const clientCommands: readonly Command[] = [
  {
    name: 'client create',
    summary: 'Create an OAuth client for POST /oauth2/token and show its secret, which is shown only once',
    options: {
      account,
      name: { description: 'what it is used for', required: true },
      scopes: { description: `separated by commas; default: all of ${ACCOUNT_SCOPES.join(',')}` },
    },
    audit: {
      action: 'CLIENT_CREATED',
      about: ({ clientId, accountId }) => ({ accountId: String(accountId), target: `client/${clientId}` }),
    },
    run: (db, options) =>
      createClient(db, {
        accountId: requiredText(options, 'account'),
        name: requiredText(options, 'name'),
        scopes: listOf(options, 'scopes'),
      }),
  },
  {
    name: 'client list',
    summary: 'Show the OAuth clients of an account (never the secrets)',
    options: { account },
    run: (db, options) => listClients(db, requiredText(options, 'account')),
  },
  {
    name: 'client revoke',
    summary: 'Revoke an OAuth client and the tokens it was given',
    argument: '<client id>',
    options: {},
    audit: {
      action: 'CLIENT_REVOKED',
      about: ({ clientId, accountId }) => ({ accountId: String(accountId), target: `client/${clientId}` }),
    },
    run: (db, _options, id) => revokeClient(db, id),
  },
];

// npm run admin -- token …

const owner = {
  account: { description: 'the account to which it belongs' },
  operator: { description: "an operator's token, which belongs to no account", flag: true },
};

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

const tokenCommands: readonly Command[] = [
  {
    name: 'token create',
    summary: 'Create a token and show it, only once',
    options: {
      ...owner,
      name: { description: 'what it is used for', required: true },
      scopes: { description: `separated by commas; default: all of ${ACCOUNT_SCOPES.join(',')}` },
      'expires-days': { description: 'default: never' },
    },
    audit: { action: 'TOKEN_CREATED', about: aboutToken },
    run: (db, options) =>
      createToken(db, {
        accountId: ownerOf(options),
        name: requiredText(options, 'name'),
        scopes: listOf(options, 'scopes'),
        expiresAt: expiryOf(options),
      }),
  },
  {
    name: 'token list',
    summary: 'Show the tokens of an account, or of operators (never the secrets)',
    options: owner,
    run: (db, options) => listTokens(db, ownerOf(options)),
  },
  {
    name: 'token revoke',
    summary: 'Revoke a token; it is refused within seconds',
    argument: '<token id>',
    options: {},
    audit: { action: 'TOKEN_REVOKED', about: aboutToken },
    run: (db, _options, id) => revokeToken(db, id),
  },
];

function aboutToken({ id, accountId }: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'accountId' | 'target'> {
  return { accountId: typeof accountId === 'string' ? accountId : null, target: `token/${id}` };
}

function ownerOf(options: OptionValues): string | null {
  const account = textOf(options, 'account');
  const operator = options.operator === true;
  if ((account === undefined) === !operator) throw new UsageError('give either --account <id> or --operator');
  return account ?? null;
}

function expiryOf(options: OptionValues): Date | undefined {
  const text = textOf(options, 'expires-days');
  if (text === undefined) return undefined;
  const days = Number(text);
  if (!(days > 0 && days <= MAX_DAYS))
    throw new UsageError(`--expires-days must be a number of days up to ${MAX_DAYS}, not "${text}"`);
  return new Date(Date.now() + days * DAY_MS);
}

// npm run admin -- secrets …

const secretsCommands: readonly Command[] = [
  {
    name: 'secrets reseal',
    summary: 'Encrypt all secrets again with the first key of SECRETS_KEY, so that the other keys can be removed',
    options: {},
    audit: {
      action: 'SECRETS_RESEALED',
      about: ({ resealed }) => ({ accountId: null, target: `secrets/${resealed}` }),
      commitsItself: true,
    },
    run: async (db, _options, _argument, secretsKeys) => {
      const keys = secretsKeys();
      return { resealed: (await resealDefinitionSecrets(db, keys)) + (await resealAccountSecrets(db, keys)) };
    },
  },
];

// npm run admin -- audit …

const DEFAULT_ENTRIES = 100;
const MAX_ENTRIES = 10_000;

const auditCommands: readonly Command[] = [
  {
    name: 'audit list',
    summary: 'Show what was done to an account, or (--operator) to none, the newest first',
    options: {
      account: { description: 'the account that it concerned' },
      operator: { description: 'what concerned no account: unknown tokens, operators, secrets', flag: true },
      since: { description: 'only from this time on: 2026-01-31T12:00:00Z' },
      action: { description: 'only this act: TOKEN_REVOKED' },
      limit: { description: `how many; default: ${DEFAULT_ENTRIES}, at most ${MAX_ENTRIES}` },
    },
    run: async (db, options) => {
      const filter = { since: sinceOf(options), action: actionOf(options) };
      const { rows } = await pageAudit(db, ownerOf(options), filter, { limit: entriesOf(options) });
      return rows;
    },
  },
];

function sinceOf(options: OptionValues): Date | undefined {
  const text = textOf(options, 'since');
  if (text === undefined) return undefined;
  const since = new Date(text);
  if (!Number.isNaN(since.getTime())) return since;
  throw new UsageError(`--since must be a time such as 2026-01-31T12:00:00Z, not "${text}"`);
}

function actionOf(options: OptionValues): AuditAction | undefined {
  const text = textOf(options, 'action');
  const action = AUDIT_ACTIONS.find((known) => known === text);
  if (text === undefined || action !== undefined) return action;
  throw new UsageError(`--action must be one of ${AUDIT_ACTIONS.join(', ')}, not "${text}"`);
}

function entriesOf(options: OptionValues): number {
  const text = textOf(options, 'limit') ?? String(DEFAULT_ENTRIES);
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= MAX_ENTRIES) return limit;
  throw new UsageError(`--limit must be a whole number up to ${MAX_ENTRIES}, not "${text}"`);
}

// Finds the command that was typed, and parses its options.

const commands: readonly Command[] = [
  ...accountCommands,
  ...tokenCommands,
  ...clientCommands,
  ...secretsCommands,
  ...auditCommands,
];

/**
 * Runs a command, and records what it did in the audit log, in one transaction.
 * @param who the user of this machine
 */
export async function runCommand(
  db: Db,
  { command, options, argument }: ParsedCommand,
  secretsKeys: () => readonly string[],
  who: string,
): Promise<Answer> {
  const { audit } = command;
  if (audit === undefined) return command.run(db, options, argument, secretsKeys);
  const runIn = async (within: Db) => {
    const answer = await command.run(within, options, argument, secretsKeys);
    const actor = { kind: 'admin', id: who, address: null, requestId: null } as const;
    const action = typeof audit.action === 'string' ? audit.action : audit.action(argument);
    await recordAudit(within, [{ actor, action, ...audit.about({ ...answer }) }]);
    return answer;
  };
  return audit.commitsItself === true ? runIn(db) : db.transaction(runIn);
}

interface ParsedCommand {
  readonly command: Command;
  readonly options: OptionValues;
  readonly argument: string;
  readonly json: boolean;
}

interface ParsedSystemCommand extends Omit<ParsedCommand, 'command'> {
  readonly command: (typeof systemCommands)[number];
}

/** Whether a command opens what it needs itself, instead of being given the database. */
export function isSystemCommand(parsed: ParsedCommand | ParsedSystemCommand): parsed is ParsedSystemCommand {
  return 'inSystem' in parsed.command;
}

/** @throws UsageError saying what is missing or unknown */
export function parseCommand(args: readonly string[]): ParsedCommand | ParsedSystemCommand {
  const ofSystem = systemCommands.find(({ name }) => name === args[0]);
  if (ofSystem !== undefined) return { command: ofSystem, ...argumentsOf(ofSystem, args.slice(1)) };
  const name = args.slice(0, 2).join(' ');
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) throw new UsageError(unknownCommand(args));
  return { command, ...argumentsOf(command, args.slice(2)) };
}

type Described = Pick<Command, 'name' | 'options' | 'argument'>;

function argumentsOf(command: Described, args: readonly string[]): Omit<ParsedCommand, 'command'> {
  const { name } = command;
  const { values, positionals } = parsed(command, args);
  const missing = Object.entries(command.options).find(
    ([option, { required }]) => required === true && values[option] === undefined,
  );
  if (missing !== undefined) {
    const [option, { description }] = missing;
    throw new UsageError(`${name}: --${option} is required, ${description}${helpOf(name)}`);
  }
  if (positionals.length !== (command.argument === undefined ? 0 : 1)) {
    throw new UsageError(`${name} needs ${command.argument ?? 'no argument'} besides its options${helpOf(name)}`);
  }
  return { options: values, argument: positionals[0] ?? '', json: values.json === true };
}

/** Says which command was probably meant: of the typed group if there is such a group. */
function unknownCommand(args: readonly string[]): string {
  const [group = ''] = args;
  const typed = args.slice(0, 2).join(' ');
  const ofGroup = commands.filter(({ name }) => name.startsWith(`${group} `)).map(({ name }) => name);
  if (ofGroup.length > 0) {
    const nearest = nearestName(args[1] ?? '', ofGroup, (name) => name.slice(group.length + 1));
    if (nearest !== undefined) return `there is no command "${typed}": did you mean "${nearest}"?${helpOf(nearest)}`;
    const what = args.length < 2 ? `"${group}" is not complete` : `there is no command "${typed}"`;
    return `${what}: give one of ${ofGroup.join(', ')}${helpOf(group)}`;
  }
  const names = [...commands, ...systemCommands].map(({ name }) => name);
  const reversed = args.slice(0, 2).reverse().join(' ');
  const nearest = nearestName(typed, names, (name) => name) ?? nearestName(reversed, names, (name) => name);
  const meant = nearest === undefined ? '' : `: did you mean "${nearest}"?`;
  return `there is no command "${typed}"${meant}${helpOf(nearest ?? '')}`;
}

function helpOf(name: string): string {
  return ` (npm run admin -- ${`${name} --help`.trimStart()})`;
}

function parsed(command: Described, args: readonly string[]): { values: OptionValues; positionals: string[] } {
  const types = Object.entries(command.options).map(
    ([option, { flag }]) => [option, { type: flag === true ? 'boolean' : 'string' }] as const,
  );
  const options = { json: { type: 'boolean' }, ...Object.fromEntries(types) } as const;
  requireKnownOptions(command.name, Object.keys(options), args);
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as OptionValues, positionals };
  } catch (error) {
    const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new UsageError(`${command.name}: ${message}${helpOf(command.name)}`);
  }
}

/** @throws UsageError that names the option that was probably meant */
function requireKnownOptions(name: string, options: readonly string[], args: readonly string[]): void {
  for (const arg of args) {
    if (arg === '--') return;
    const [, typed] = /^--?([^=]+)/.exec(arg) ?? [];
    if (typed === undefined || options.includes(typed)) continue;
    const nearest = nearestName(typed, options, (option) => option);
    const meant = nearest === undefined ? '' : `: did you mean --${nearest}?`;
    throw new UsageError(`${name} has no option ${arg.replace(/=.*/, '')}${meant}${helpOf(name)}`);
  }
}

/**
 * The usage, with a line for each command and each option.
 * @param args names the command or the group that it is about; otherwise it is about all of them
 */
export function usage(args: readonly string[] = []): string {
  const wanted = args
    .filter((arg) => arg !== 'help' && !arg.startsWith('-'))
    .slice(0, 2)
    .join(' ');
  const all: readonly (Described & { summary: string })[] = [...commands, ...systemCommands];
  const about = all.filter(({ name }) => wanted !== '' && `${name} `.startsWith(`${wanted} `));
  const lines = (about.length > 0 ? about : all).flatMap((command) => [
    `  ${[command.name, command.argument ?? ''].join(' ').trimEnd().padEnd(41)}${command.summary}`,
    ...Object.entries(command.options).map(
      ([option, { description, flag, required }]) =>
        `      --${`${option}${flag === true ? '' : ' <text>'}`.padEnd(35)}${description}${required === true ? ' (required)' : ''}`,
    ),
  ]);
  return [
    'npm run admin -- <command> [options]',
    '',
    ...lines,
    '',
    'Every command accepts --json. It uses DATABASE_URL or, without it, the system that npm start runs in DATA_DIR.',
    '',
  ].join('\n');
}
