/** `longshore inspect FILE`: says how a file is written and what its columns hold. Nothing is imported. */
import { LongshoreError } from '@longshore/client';
import { type Command, Option } from 'commander';
import { type CommonOptions, clientOf, findAccess, withAccess } from '../access.js';
import type { Attempt } from '../import/attempt.js';
import { TYPES } from '../import/options.js';
import { type Report, withProgress } from '../import/progress.js';
import { type ReadingOptions, readingOf, withReading, writtenReading } from '../import/reading.js';
import { goOn } from '../import/resume.js';
import { type ImportInput, openFile, openStandardInput } from '../import-input.js';
import { printInspection } from '../inspection-report.js';
import { whenInterrupted } from '../interrupts.js';
import { commandLine, note, print, printJson, style } from '../terminal.js';

/** How long the end of the program waits on Ctrl-C until nothing is left of the file. */
const INTERRUPTED_MS = 3_000;

interface InspectOptions extends CommonOptions, ReadingOptions {
  readonly type: keyof typeof TYPES;
  readonly keep?: boolean;
  readonly name?: string;
}

export function addInspect(program: Command): void {
  const command = program
    .command('inspect')
    .description('say how a file is written and what its columns hold; import nothing')
    .argument('<file>', 'a file as for import; -: standard input')
    .addOption(new Option('--type <type>', 'what the rows are').choices(Object.keys(TYPES)).default('items'))
    .option('--keep', 'leave the file uploaded, so that an import of it need not upload it again')
    .option('--sheet <name>', 'of a workbook; default: the first with values that is not hidden')
    .option('--delimiter <character>', 'of .csv and .tsv, also tab; default: found out')
    .option('--encoding <name>', 'such as windows-1252; default: found out')
    .option('--name <file>', 'another name, whose ending is the format; default of standard input: stdin.csv');
  withAccess(withReading(command))
    .addHelpText(
      'after',
      `
Every row is read. The verdict of a column is certain (the file decides it), likely (look at an example), or ambiguous:
it can be read in several ways, and an import asks you for the right one.

Examples:
  longshore inspect erp.csv
  longshore inspect prices.xlsx --sheet Retail --header-row 4
  longshore inspect erp.csv --json | jq '.inspection.columns[].name'`,
    )
    .action(inspectCommand);
}

async function inspectCommand(path: string, options: InspectOptions): Promise<void> {
  const access = findAccess(options);
  const input = path === '-' ? await openStandardInput(options.name) : openFile(path, options.name);
  try {
    if (!options.json) note(style(process.stderr).dim(`${input.title} → ${access.baseUrl}, stage ${access.stage}`));
    const how = { type: TYPES[options.type], options: {}, hold: true };
    const { attempt, result } = await goOn(input, access, how, options, (attempt) =>
      withProgress(attempt, options, (onProgress) => inspect(input, attempt, options, onProgress)),
    );
    const { held, inspection } = result;
    if (options.keep !== true) {
      await held.discard();
      attempt.forget();
    }
    if (options.json) return printJson({ inspection, file: options.keep === true ? held.file.id : null });
    printInspection(inspection);
    print();
    print(`To import it${options.keep === true ? ', without another upload' : ''}:`);
    print(`  ${commandLine('import', path, ...writtenReading(options))}`);
  } finally {
    input.discard();
  }
}

async function inspect({ source }: ImportInput, attempt: Attempt, options: InspectOptions, onProgress: Report) {
  const client = clientOf(options);
  const held = await client.hold(source, { type: TYPES[options.type], ...attempt.call, onProgress });
  const { jobId } = held.file;
  const leaves = whenInterrupted(async () => {
    await client.cancelJob({ id: jobId }, { signal: AbortSignal.timeout(INTERRUPTED_MS) });
    attempt.forget();
  });
  try {
    return { held, inspection: await held.inspection(readingOf(options)) };
  } catch (error) {
    // A file that is no table is not kept.
    if (error instanceof LongshoreError && (error.status === 422 || error.status === 400)) await held.discard();
    throw error;
  } finally {
    leaves();
  }
}
