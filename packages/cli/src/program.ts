/** The commands. */
import { Command } from 'commander';
import { VERSION } from './access.js';
import { addCatalog } from './commands/catalog.js';
import { addCompletion } from './commands/completion.js';
import { addExport } from './commands/export.js';
import { addFeeds } from './commands/feeds.js';
import { addImport } from './commands/import.js';
import { addInspect } from './commands/inspect.js';
import { addJobs } from './commands/jobs.js';
import { addLogin } from './commands/login.js';
import { addMcp } from './commands/mcp.js';
import { addProfiles } from './commands/profiles.js';
import { addStage } from './commands/stage.js';
import { addWebhooks } from './commands/webhooks.js';
import { withOwnName } from './terminal.js';

export function createProgram(): Command {
  const program = new Command('longshore')
    .description('Imports product catalogs in bulk: files, jobs, errors, exports, webhooks.')
    .version(VERSION, '-V, --version', 'the version of this program')
    .helpOption('-h, --help', 'show the options and examples')
    .exitOverride()
    .configureOutput({ writeOut: (text) => void process.stdout.write(withOwnName(text)) })
    .showHelpAfterError('(add --help for the options and examples)')
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  addLogin(program);
  addInspect(program);
  addImport(program);
  addProfiles(program);
  addFeeds(program);
  addExport(program);
  addStage(program);
  addJobs(program);
  addWebhooks(program);
  addCatalog(program);
  addMcp(program);
  addCompletion(program);
  return program.addHelpText(
    'after',
    `
Examples:
  longshore import items.csv              imports a file, and shows what became of its rows
  longshore errors JOB                    the errors of a job, by code and column
  longshore export items -o items.csv     writes all items to a file
  longshore webhooks listen               shows and verifies the events that arrive

The system that "npm start" runs in this folder is found by itself. Another one: longshore login, or LONGSHORE_URL,
LONGSHORE_TOKEN and LONGSHORE_ACCOUNT.
Exit codes: 0 all applied, 2 some rows failed, 1 refused or failed, 3 the job waits for an approval, 130 ended by Ctrl-C.`,
  );
}
