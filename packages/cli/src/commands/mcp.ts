/** `longshore mcp`: tools for assistants, which look at the catalog and propose changes. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { adviceFor, type CommonOptions, clientOptionsOf, VERSION, withSystem } from '../access.js';
import { CommandError } from '../failure.js';
import { note } from '../terminal.js';

interface McpOptions extends CommonOptions {
  readonly folder?: readonly string[];
}

export function addMcp(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve tools for assistants: they look, and propose')
    .option('--folder <path...>', 'assistants may upload files of these folders; default: the one it is started in');
  withSystem(command)
    .addHelpText(
      'after',
      `
An assistant starts it, and talks to it by standard input and output (Model Context Protocol). What it proposes waits for
the approval of a person. It ends when standard input is closed.

Examples:
  longshore mcp
  longshore mcp --stage test --folder ~/catalogs`,
    )
    .action(mcpCommand);
}

async function mcpCommand({ folder, ...options }: McpOptions): Promise<void> {
  // Otherwise the assistant would be told for each file that it may not be used.
  for (const path of folder ?? []) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new CommandError(`--folder ${path}: there is no such folder`);
    }
  }
  const client = clientOptionsOf(options);
  // Loaded only now: no other command needs it.
  const { serveTools } = await import('@longshore/mcp');
  note(`tools for ${client.baseUrl}, stage ${client.site?.stage}; they end with standard input`);
  const folders = folder === undefined ? {} : { folders: folder };
  await serveTools({ client, version: VERSION, ...folders, advise: adviceFor, log: note });
}
