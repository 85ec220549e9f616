/** `longshore jobs changes JOB`, `longshore changes` and `longshore history SKU`. */
import type { LongshoreClient, schemas } from '@longshore/client';
import type { Command } from 'commander';
import { type CommonOptions, clientOf, wholeNumber, withAccess } from '../access.js';
import { CommandError } from '../failure.js';
import { count, note, plural, print, printJson, printTable } from '../terminal.js';
import { requireFree, writeFile } from '../write-file.js';
import { nameOfChange, summaryLines, valuesOfChange } from './changed-values.js';

type Change = schemas.Change;

interface JobChangesOptions extends CommonOptions {
  readonly limit: number;
  readonly attributes?: string;
  readonly output?: string;
  readonly force?: boolean;
}

interface FollowOptions extends CommonOptions {
  readonly since?: string;
  readonly follow?: boolean;
  readonly attributes?: string;
}

interface HistoryOptions extends CommonOptions {
  readonly limit: number;
}

const DEFAULT_CHANGES = 20;
const FORMATS = { csv: 'CSV', jsonl: 'JSONL', xlsx: 'XLSX' } as const;

/** @param jobs the command `jobs` */
export function addChanges(program: Command, jobs: Command): void {
  withAccess(
    jobs.command('changes').argument('<job>').description('what a job changed, or what a dry run would change'),
  )
    .option('--limit <number>', 'how many changes are shown', wholeNumber, DEFAULT_CHANGES)
    .option('--attributes <names>', 'only changes of these attributes, separated by commas')
    .option(
      '-o, --output <file>',
      'write all of them to a file: .csv, .jsonl or .xlsx, one row for each value, definitions first',
    )
    .option('--force', 'replace the file if it exists')
    .addHelpText('after', '\nExamples:\n  longshore jobs changes JOB\n  longshore jobs changes JOB -o changes.xlsx')
    .action(jobChangesCommand);
  withAccess(
    program.command('changes').description('the changes of a stage, in the order in which they were committed'),
  )
    .option('--since <cursor>', 'begin after this cursor; without it, with the present')
    .option('--follow', 'go on until Ctrl-C')
    .option('--attributes <names>', 'only changes of these attributes, separated by commas')
    .addHelpText(
      'after',
      '\nThe last line says the cursor to go on with. With --json, each line is a page with its changes and its cursor.\n\nExamples:\n  longshore changes --follow\n  longshore changes --since CURSOR --json',
    )
    .action(followCommand);
  withAccess(program.command('history').argument('<sku>').description('what changed an item, newest first'))
    .option('--limit <number>', 'how many changes are shown', wholeNumber, DEFAULT_CHANGES)
    .addHelpText('after', '\nExamples:\n  longshore history B-1042')
    .action(historyCommand);
}

async function jobChangesCommand(id: string, options: JobChangesOptions): Promise<void> {
  const api = clientOf(options);
  const filter = options.attributes === undefined ? {} : { attributes: options.attributes };
  if (options.output !== undefined) await writeChanges(api, id, options.output, filter, options.force === true);
  const summary = await api.summarizeJobChanges({ id });
  const changes = await first(api.jobChanges(id, filter), options.limit);
  if (options.json) return printJson({ jobId: id, summary, changes, file: options.output ?? null });
  for (const line of summaryLines(summary)) print(line);
  if (options.output !== undefined) return print(`\nAll changes: ${options.output}`);
  if (changes.length === 0) return;
  print();
  printChanges(changes);
  if (changes.length >= options.limit)
    note(`The first ${count(changes.length)}; see more with --limit, or all with -o changes.csv.`);
}

async function writeChanges(
  api: LongshoreClient,
  id: string,
  path: string,
  filter: { readonly attributes?: string },
  force: boolean,
): Promise<void> {
  const ending = /\.(csv|jsonl|xlsx)$/i.exec(path)?.[1]?.toLowerCase() as keyof typeof FORMATS | undefined;
  if (ending === undefined) throw new CommandError(`name a file that ends in .csv, .jsonl or .xlsx: ${path} does not`);
  requireFree(path, force);
  await writeFile(path, (await api.downloadJobChanges({ id, format: FORMATS[ending], ...filter })) as Response);
}

async function followCommand({ since, follow = false, attributes, ...options }: FollowOptions): Promise<void> {
  const api = clientOf(options);
  const filter = attributes === undefined ? {} : { attributes };
  let cursor = since;
  for await (const page of api.followChanges({ since, once: !follow, ...filter })) {
    if (options.json) {
      if (page.changes.length > 0 || page.cursor !== cursor) print(JSON.stringify(page));
    } else for (const change of page.changes) print(lineOf(change));
    cursor = page.cursor;
  }
  if (!options.json) print(`cursor ${cursor}`);
}

async function historyCommand(sku: string, options: HistoryOptions): Promise<void> {
  const changes = await first(clientOf(options).itemHistory(sku), options.limit);
  if (options.json) return printJson({ sku, changes });
  if (changes.length === 0) return print('No change of the item is kept any more.');
  printChanges(changes, true);
  if (changes.length >= options.limit) note(`The last ${plural(changes.length, 'change')}; see more with --limit.`);
}

async function first<T>(all: AsyncIterable<T>, limit: number): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) if (found.push(one) >= limit) break;
  return found;
}

/** A line for each value that differs. @param ofItem whether all are changes of one item */
function printChanges(changes: readonly Change[], ofItem = false): void {
  const rows = changes.flatMap((change) => {
    const { operation, row, at, actor, jobId } = change;
    const who = ofItem
      ? [at, actor ?? 'the system', jobId ?? '', row === null ? '' : count(row)]
      : [nameOfChange(change), row === null ? '' : count(row)];
    const values = valuesOfChange(change);
    if (values.length === 0) return [[...who, operation, '', '', '']];
    return values.map(({ name, before, after }) => [...who, operation, name, before, after]);
  });
  const what = changes.every(({ definition }) => definition === null) ? 'SKU' : 'SKU OR DEFINITION';
  const head = ofItem ? ['AT', 'BY', 'JOB', 'ROW'] : [what, 'ROW'];
  printTable([...head, 'OPERATION', 'WHAT', 'BEFORE', 'AFTER'], rows);
}

function lineOf(change: Change): string {
  const { at, operation } = change;
  const values = valuesOfChange(change).map(({ name, before, after }) => `${name}: ${before || '–'} → ${after || '–'}`);
  return [at, operation, nameOfChange(change), values.join('; ')].join('  ').trimEnd();
}
