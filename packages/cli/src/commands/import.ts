/** `longshore import FILE`: uploads a file or standard input, follows its job, and writes the error file beside it. */
import { type Command, Option } from 'commander';
import { clientOf, findAccess, withAccess } from '../access.js';
import { showResult } from '../import/import-result.js';
import { announcementOf, type ImportOptions, TYPES } from '../import/options.js';
import { withProgress } from '../import/progress.js';
import { goOn } from '../import/resume.js';
import { openFile, openStandardInput } from '../import-input.js';
import { note, style } from '../terminal.js';

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('import a file, and show what became of its rows')
    .argument(
      '<file>',
      'a .csv, .tsv, .xlsx, .ods, .json, .jsonl or .ndjson file, or one of them with .gz; -: standard input',
    )
    .addOption(new Option('--type <type>', 'what the rows are').choices(Object.keys(TYPES)).default('items'))
    .addOption(
      new Option('--mode <mode>', 'insert creates only, update changes only').choices(['insert', 'update', 'upsert']),
    )
    .option('--dry-run', 'check every row, and write nothing')
    .option('--atomic', 'apply all rows or none')
    .addOption(new Option('--delimiter <character>', 'of .csv and .tsv').choices([',', ';', '|', 'tab']))
    .addOption(new Option('--decimal-separator <character>', 'of numbers').choices(['.', ',']))
    .option('--date-format <format>', 'such as dd.MM.yyyy')
    .option('--encoding <name>', 'such as windows-1252; default: utf-8')
    .option('--sheet <name>', 'of a workbook; default: the first that is not hidden')
    .option('--retry-of <job>', 'use the options of this job where none are given here')
    .option('--name <file>', 'of standard input: its ending is the format', 'stdin.csv');
  withAccess(command)
    .addHelpText(
      'after',
      `
Rows that fail are written to a file beside the input (items.errors.csv), with what is wrong in columns whose names
begin with "_". Correct them there and import that file: it brings the options of its job.
If the command is interrupted, call it again: it goes on with the same job.

Examples:
  longshore import items.csv
  longshore import items.csv --dry-run
  longshore import prices.csv --mode update --decimal-separator , --date-format dd.MM.yyyy
  longshore import categories.csv --type categories --stage test
  zcat items.jsonl.gz | longshore import - --name items.jsonl
  longshore import items.csv --json | jq .job.progressTracker`,
    )
    .action(async (path: string, options: ImportOptions) => {
      process.exitCode = await importCommand(path, options);
    });
}

async function importCommand(path: string, options: ImportOptions): Promise<number> {
  const access = findAccess(options);
  const input = path === '-' ? await openStandardInput(options.name) : openFile(path);
  try {
    if (!options.json) note(style(process.stderr).dim(`${input.title} → ${access.baseUrl}, stage ${access.stage}`));
    const { attempt, result } = await goOn(input, access, announcementOf(options), options, (attempt) =>
      withProgress(attempt, options, (onProgress) =>
        clientOf(options).importFile(input.source, {
          ...announcementOf(options),
          idempotencyKey: attempt.key,
          onProgress,
        }),
      ),
    );
    return await showResult(input, attempt, result, options);
  } finally {
    input.discard();
  }
}
