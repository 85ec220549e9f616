/** `longshore import FILE`: uploads a file or standard input, follows its job, and writes the error file beside it. */
import { type Command, Option } from 'commander';
import { type Access, clientOf, findAccess, withAccess } from '../access.js';
import { EXIT } from '../failure.js';
import { showResult } from '../import/import-result.js';
import { announcementOf, choiceOf, commandOf, type ImportOptions, TYPES } from '../import/options.js';
import { importOwnFile } from '../import/own-file.js';
import { withProgress } from '../import/progress.js';
import { withReading } from '../import/reading.js';
import { goOn } from '../import/resume.js';
import { missingOf, numberOf, onBrakeOf, scopeOf } from '../import/snapshot.js';
import { isForeign, wayOf } from '../import/way.js';
import { type ImportInput, openFile, openStandardInput } from '../import-input.js';
import { note, print, style } from '../terminal.js';

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('import a file, and show what became of its rows')
    .argument(
      '<file>',
      'a .csv, .tsv, .xlsx, .ods, .json, .jsonl, .ndjson or .xml file, or one of them with .gz; -: standard input',
    )
    .addOption(new Option('--type <type>', 'what the rows are').choices(Object.keys(TYPES)).default('items'))
    .addOption(
      new Option('--mode <mode>', 'insert creates only, update changes only').choices(['insert', 'update', 'upsert']),
    )
    .option('--dry-run', 'check every row, and write nothing')
    .option('--require-approval', 'show what it would change, and wait until somebody approves it')
    .option('--atomic', 'apply all rows or none')
    .option(
      '--snapshot <scope>',
      'the file has all items of this scope: stage, category:PATH, attribute:NAME=VALUE, or feed:NAME for what a feed wrote',
      scopeOf,
    )
    .option(
      '--missing <what>',
      'with --snapshot, what becomes of those it lacks: delete (default), set:NAME=VALUE or clear:NAME,NAME',
      missingOf,
    )
    .option('--max-missing-percent <number>', 'remove nothing if a larger share would go; default: 5', numberOf)
    .option('--max-missing <number>', 'remove nothing if more items would go', numberOf)
    .option('--min-rows <number>', 'remove nothing if the file has fewer rows', numberOf)
    .option(
      '--on-brake <what>',
      'what then becomes of the removal: stop (default), or approve: it waits for an approval',
      onBrakeOf,
    )
    .addOption(new Option('--delimiter <character>', 'of .csv and .tsv').choices([',', ';', '|', 'tab']))
    .addOption(new Option('--decimal-separator <character>', 'of numbers').choices(['.', ',']))
    .option('--date-format <format>', 'such as dd.MM.yyyy')
    .option('--encoding <name>', 'such as windows-1252; default: utf-8')
    .option('--sheet <name>', 'of a workbook; default: the first that is not hidden')
    .option('--profile <name>', 'import by this profile; if there is none, save what is proposed under this name')
    .option('--no-profile', 'the columns are those of Longshore: leave the default profile of the stage out')
    .addOption(
      new Option(
        '--create-missing [what]',
        'create what the catalog lacks: attributes, options, categories, assignments',
      )
        .preset('all')
        .argParser(choiceOf),
    )
    .option('--decide <column=reading>', 'how an ambiguous column is read; can be repeated', collected)
    .option('--yes', 'import as proposed, without asking')
    .option('--retry-of <job>', 'use the options of this job where none are given here')
    .option('--name <file>', 'another name, whose ending is the format; default of standard input: stdin.csv');
  withAccess(withReading(command))
    .addHelpText(
      'after',
      `
A file with columns of its own is inspected first. On a terminal you see how it would be imported, and are asked what is
open; without one, the options answer that (--yes, --create-missing, --decide). With --profile the next file needs none.

Rows that fail are written to a file beside the input (items.errors.csv), with what is wrong in columns whose names
begin with "_". Correct them there and import that file: it brings the options of its job.
If the command is interrupted, call it again: it goes on with the same job.

Examples:
  longshore import items.csv
  longshore import items.csv --dry-run
  longshore import erp.csv --create-missing --profile erp --yes
  longshore import all.csv --snapshot category:Storage --min-rows 5000
  longshore import prices.csv --mode update --decimal-separator , --date-format dd.MM.yyyy
  longshore import categories.csv --type categories --stage test
  zcat items.jsonl.gz | longshore import - --name items.jsonl
  longshore import items.csv --json | jq .job.progressTracker`,
    )
    .action(async (path: string, options: ImportOptions) => {
      process.exitCode = await importCommand(path, options);
    });
}

function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

async function importCommand(path: string, options: ImportOptions): Promise<number> {
  const access = findAccess(options);
  const input = path === '-' ? await openStandardInput(options.name) : openFile(path, options.name);
  try {
    if (!options.json) note(style(process.stderr).dim(`${input.title} → ${access.baseUrl}, stage ${access.stage}`));
    const way = await wayOf(input, options);
    if (way === 'as it is') return await importAsItIs(path, input, access, options);
    return await importProposed(path, input, access, options, way === 'as inspected');
  } finally {
    input.discard();
  }
}

async function importAsItIs(path: string, input: ImportInput, access: Access, options: ImportOptions): Promise<number> {
  const { profile } = options;
  const announcement = {
    ...announcementOf(options),
    ...(profile === undefined ? {} : { profile: profile === false ? null : profile }),
  };
  const { attempt, result } = await goOn(input, access, announcement, options, (attempt) =>
    withProgress(attempt, options, (onProgress) =>
      clientOf(options).importFile(input.source, { ...announcement, ...attempt.call, onProgress }),
    ),
  );
  const isOurs = typeof profile === 'string' || !(await isForeign(input, result.job, options));
  if (isOurs || !options.json) {
    const code = await showResult(input, attempt, result, options);
    if (isOurs) return code;
    print();
    print('These columns are not those of our own files. This is how it would be imported:');
  } else attempt.forget();
  return importProposed(path, input, access, options, false);
}

async function importProposed(
  path: string,
  input: ImportInput,
  access: Access,
  options: ImportOptions,
  mayBeOurs: boolean,
): Promise<number> {
  const { attempt, result } = await importOwnFile(input, access, options, commandOf(path, options), mayBeOurs);
  if (result !== undefined) return showResult(input, attempt, result, options);
  attempt.forget();
  print('Nothing is imported.');
  return EXIT.failed;
}
