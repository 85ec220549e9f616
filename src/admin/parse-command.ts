/** Finds the command of `npm run admin` that was typed, parses its options, and runs it. */
import { parseArgs } from 'node:util';
import type { Db } from '../../db/connection.js';
import { recordAudit } from '../domain/access/audit.js';
import { nearestName } from '../domain/kernel/nearest-name.js';
import { accountCommands } from './commands/account.js';
import { auditCommands } from './commands/audit.js';
import { clientCommands } from './commands/client.js';
import { type Answer, type Command, type OptionValues, UsageError } from './commands/command.js';
import { personCommands } from './commands/person.js';
import { secretsCommands } from './commands/secrets.js';
import { tokenCommands } from './commands/token.js';
import { systemCommands } from './system-commands.js';

const commands: readonly Command[] = [
  ...accountCommands,
  ...tokenCommands,
  ...clientCommands,
  ...personCommands,
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
