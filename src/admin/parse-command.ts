/** Finds the command that was typed, and parses its options. */
import { parseArgs } from 'node:util';
import { accountCommands } from './account-commands.js';
import { clientCommands } from './client-commands.js';
import { type Command, type OptionValues, UsageError } from './command.js';
import { secretsCommands } from './secrets-commands.js';
import { tokenCommands } from './token-commands.js';

const commands: readonly Command[] = [...accountCommands, ...tokenCommands, ...clientCommands, ...secretsCommands];

interface ParsedCommand {
  readonly command: Command;
  readonly options: OptionValues;
  readonly argument: string;
  readonly json: boolean;
}

/** @throws UsageError saying what is missing or unknown */
export function parseCommand(args: readonly string[]): ParsedCommand {
  const name = args.slice(0, 2).join(' ');
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined)
    throw new UsageError(name === '' ? 'no command is given' : `there is no command "${name}"`);
  const { values, positionals } = parsed(command, args.slice(2));
  const missing = Object.entries(command.options).find(
    ([option, { required }]) => required === true && values[option] === undefined,
  );
  if (missing !== undefined) throw new UsageError(`${name}: --${missing[0]} is required`);
  if (positionals.length !== (command.argument === undefined ? 0 : 1)) {
    throw new UsageError(`${name} needs ${command.argument ?? 'no argument'} besides its options`);
  }
  return { command, options: values, argument: positionals[0] ?? '', json: values.json === true };
}

function parsed(command: Command, args: readonly string[]): { values: OptionValues; positionals: string[] } {
  const types = Object.entries(command.options).map(
    ([option, { flag }]) => [option, { type: flag === true ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' }, ...Object.fromEntries(types) },
      allowPositionals: true,
    });
    return { values: values as OptionValues, positionals };
  } catch (error) {
    throw new UsageError(`${command.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The usage, with a line for each command and each option. */
export function usage(): string {
  const lines = commands.flatMap((command) => [
    `  ${[command.name, command.argument ?? ''].join(' ').trimEnd().padEnd(28)}${command.summary}`,
    ...Object.entries(command.options).map(
      ([option, { description, flag, required }]) =>
        `      --${`${option}${flag === true ? '' : ' <text>'}`.padEnd(22)}${description}${required === true ? ' (required)' : ''}`,
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
