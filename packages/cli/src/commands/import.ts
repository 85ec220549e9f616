/** `longshore import FILE`: uploads a file or standard input, follows its job, and writes the error file beside it. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ImportFileOptions, type ImportResult, LongshoreError } from '@longshore/client';
import { type Command, Option } from 'commander';
import { type Access, type CommonOptions, clientOf, configFolder, findAccess, withAccess } from '../access.js';
import { type ImportInput, openFile, openStandardInput } from '../import-input.js';
import { whenInterrupted } from '../interrupts.js';
import { exitCodeOf, printErrorSummary, printJob } from '../job-report.js';
import { BYTES, commandLine, count, note, print, printJson, progressBar, ROWS, style } from '../terminal.js';
import { freeNameBeside, writeFile } from '../write-file.js';

const TYPES = {
  items: 'ITEM_IMPORT',
  bundles: 'BUNDLE_IMPORT',
  attributes: 'ATTRIBUTE_IMPORT',
  categories: 'CATEGORY_IMPORT',
} as const;

interface ImportOptions extends CommonOptions {
  readonly type: keyof typeof TYPES;
  readonly mode?: 'insert' | 'update' | 'upsert';
  readonly dryRun?: boolean;
  readonly atomic?: boolean;
  readonly delimiter?: ',' | ';' | '\t' | '|';
  readonly decimalSeparator?: '.' | ',';
  readonly dateFormat?: string;
  readonly encoding?: string;
  readonly sheet?: string;
  readonly retryOf?: string;
  readonly name: string;
}

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
    const { attempt, result } = await run(input, access, options);
    const { job } = result;
    const errorFile = await writeErrorFile(input.path, attempt, result, options);
    if (options.json) printJson({ outcome: result.outcome, job, errorFile: errorFile ?? null });
    else printResult(result, errorFile);
    attempt.forget();
    return exitCodeOf(job);
  } finally {
    input.discard();
  }
}

interface Imported {
  readonly attempt: Attempt;
  readonly result: ImportResult;
}

/** Imports the file; goes on with an import of the same file that was interrupted. */
async function run(input: ImportInput, access: Access, options: ImportOptions): Promise<Imported> {
  const attempt = Attempt.of(input, access, options);
  if (attempt.isResumed && !options.json) note('An earlier import of this file did not end: it goes on.');
  try {
    return { attempt, result: await importWith(attempt, input, options) };
  } catch (error) {
    if (!isFinal(error, attempt)) throw error;
    attempt.forget();
    // The earlier announcement has expired, or its job was cancelled: this import is a new one.
    if (!attempt.isResumed || ![409, 410].includes(error.status)) throw error;
    return run(input, access, options);
  }
}

/** Whether calling again would be answered the same. A job that exists is not forgotten because a token has expired. */
function isFinal(error: unknown, attempt: Attempt): error is LongshoreError {
  if (!(error instanceof LongshoreError) || error.status < 400 || error.status >= 500) return false;
  if (error.status === 401 || error.status === 403) return !attempt.isAnnounced;
  return error.status !== 408 && error.status !== 429;
}

async function importWith(attempt: Attempt, { source }: ImportInput, options: ImportOptions): Promise<ImportResult> {
  const bar = progressBar(options.json !== true);
  const following = followedJob();
  try {
    return await clientOf(options).importFile(source, {
      ...announcementOf(options),
      idempotencyKey: attempt.key,
      onProgress: ({ phase, jobId, uploadedBytes, totalBytes, job }) => {
        attempt.isAnnounced = true;
        if (phase === 'upload') return bar.show('Uploading', uploadedBytes, totalBytes, BYTES);
        following.id = jobId;
        if (job === undefined) return;
        const { processedCount, totalCount } = job.progressTracker;
        bar.show('Importing', processedCount, totalCount, ROWS);
      },
    });
  } finally {
    bar.end();
    following.end();
  }
}

/** Ctrl-C ends this program only, so it says how to go on. */
function followedJob(): { id: string | undefined; end(): void } {
  const followed: { id: string | undefined; end(): void } = {
    id: undefined,
    end: whenInterrupted(() =>
      note(
        followed.id === undefined
          ? 'The upload is not complete. Call the same command again to go on.'
          : `The import goes on. Call the same command again to follow it, or: ${commandLine('jobs', 'cancel', followed.id)}`,
      ),
    ),
  };
  return followed;
}

function announcementOf(options: ImportOptions): ImportFileOptions {
  const { mode, delimiter, decimalSeparator, dateFormat, encoding, sheet, retryOf } = options;
  const given = {
    ...(mode === undefined ? {} : { mode }),
    ...(options.atomic ? { onError: 'abort' as const } : {}),
    ...(delimiter === undefined ? {} : { delimiter: (delimiter as string) === 'tab' ? ('\t' as const) : delimiter }),
    ...(decimalSeparator === undefined ? {} : { decimalSeparator }),
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sheet === undefined ? {} : { sheet }),
  };
  return { type: TYPES[options.type], options: given, dryRun: options.dryRun, retryOf };
}

/** Keys are remembered by the API for a day. */
const KEY_VALID_MS = 23 * 3_600_000;

/**
 * The idempotency key of an import, written down before anything is sent and removed when the outcome is known: the
 * same file, imported in the same way, goes on with the same job.
 */
class Attempt {
  isAnnounced: boolean;

  private constructor(
    readonly key: string,
    readonly isResumed: boolean,
    readonly path: string,
    private errorFile: string | undefined,
  ) {
    this.isAnnounced = isResumed;
  }

  static of({ path: file, identity }: ImportInput, access: Access, options: ImportOptions): Attempt {
    const { baseUrl, account, stage, channel } = access;
    const what = JSON.stringify([baseUrl, account, stage, channel, ...identity, announcementOf(options)]);
    const name = createHash('sha256').update(what).digest('hex').slice(0, 32);
    const path = join(configFolder(), 'imports', `${name}.json`);
    const known = noteIn(path);
    if (known !== undefined) return new Attempt(known.key, true, path, known.errorFile);
    const key = randomUUID();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify({ key, begunAt: Date.now(), file } satisfies Note), { mode: 0o600 });
    return new Attempt(key, false, path, undefined);
  }

  /** The name of the error file, noted before it is written: called again, the command writes no second one. */
  nameErrorFile(choose: () => string): string {
    if (this.errorFile !== undefined) return this.errorFile;
    this.errorFile = choose();
    const known = noteIn(this.path);
    const changed = `${this.path}.part`;
    writeFileSync(changed, JSON.stringify({ ...known, errorFile: this.errorFile }), { mode: 0o600 });
    renameSync(changed, this.path);
    return this.errorFile;
  }

  forget(): void {
    rmSync(this.path, { force: true });
  }
}

interface Note {
  readonly key: string;
  readonly begunAt: number;
  readonly file: string;
  readonly errorFile?: string;
}

function noteIn(path: string): Note | undefined {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as Note;
    return Date.now() - found.begunAt < KEY_VALID_MS ? found : undefined;
  } catch {
    return undefined;
  }
}

/** @returns the path of the file; undefined: no row failed */
async function writeErrorFile(
  path: string,
  attempt: Attempt,
  result: ImportResult,
  options: ImportOptions,
): Promise<string | undefined> {
  const [id] = result.job.errorFiles;
  if (id === undefined) return undefined;
  const { name } = await clientOf(options).getFile({ id });
  const response = await result.errorFile();
  if (response === undefined) return undefined;
  const own = attempt.nameErrorFile(() => basename(freeNameBeside(path, '.errors', name)));
  const target = join(dirname(path), own);
  if (!existsSync(target)) await writeFile(target, response);
  else await response.body?.cancel();
  return target;
}

function printResult({ job, outcome }: ImportResult, errorFile: string | undefined): void {
  const { bold, dim } = style(process.stdout);
  printJob(job);
  print(dim(`job ${job.id}`));
  printErrorSummary(job);
  if (errorFile === undefined) return;
  print();
  const failed = count(job.progressTracker.errorCount);
  print(
    `The ${outcome === 'refused' ? 'rows' : `${failed} rows that failed`} are in ${bold(errorFile)}. Correct them there, then:`,
  );
  print(`  ${commandLine('import', errorFile)}`);
}
