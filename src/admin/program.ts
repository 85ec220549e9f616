/** The commands of `npm run admin`, as a program that parses what was typed. */
import { Option, Command as Program } from 'commander';
import { accountCommands } from './commands/account.js';
import { auditCommands } from './commands/audit.js';
import { clientCommands } from './commands/client.js';
import type { Command, OptionValues } from './commands/command.js';
import { personCommands } from './commands/person.js';
import { secretsCommands } from './commands/secrets.js';
import { tokenCommands } from './commands/token.js';
import { type SystemCommand, systemCommands } from './system-commands.js';

const COMMANDS: readonly (Command | SystemCommand)[] = [
  ...accountCommands,
  ...tokenCommands,
  ...clientCommands,
  ...personCommands,
  ...secretsCommands,
  ...auditCommands,
  ...systemCommands,
];

/** What the commands of two words are about, by the first word. */
const GROUPS: Readonly<Record<string, string>> = {
  account: 'accounts, their quotas and the secret that signs their callbacks',
  token: 'tokens of accounts and of operators',
  client: 'OAuth clients',
  person: 'people who log in by the identity provider',
  secrets: 'the encryption of stored secrets',
  audit: 'what was done, and by whom',
};

/** A command that was typed. */
export interface Typed {
  readonly command: Command | SystemCommand;
  readonly options: OptionValues;
  readonly argument: string;
}

interface Output {
  writeOut(text: string): void;
  writeErr(text: string): void;
}

/** @param run executes the command that was typed */
export function createProgram(output: Output, run: (typed: Typed) => Promise<void>): Program {
  const program = new Program('npm run admin --')
    .description('Without DATABASE_URL, it uses the system that npm start runs in DATA_DIR.')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ ...output, outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}\n`) });
  for (const command of COMMANDS) {
    const [first = '', second] = command.name.split(' ');
    const group = second === undefined ? program : groupOf(program, first);
    const added = group
      .command(second ?? first)
      .description(command.summary)
      .allowExcessArguments(false);
    if (command.argument !== undefined) added.argument(command.argument);
    for (const [name, { description, flag, required = false }] of Object.entries(command.options)) {
      const option = new Option(flag === true ? `--${name}` : `--${name} <text>`, description);
      added.addOption(option.makeOptionMandatory(required));
    }
    added
      .option('--json', 'print JSON')
      .action(() => run({ command, options: added.opts(), argument: added.args[0] ?? '' }));
  }
  return program;
}

function groupOf(program: Program, name: string): Program {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? program.command(name).description(GROUPS[name] ?? '');
}
