/** Shows what became of a job: its counts, its errors by code and column, its warnings. */
import { type Job, type JobError, type LongshoreClient, LongshoreError } from '@longshore/client';
import { definitionsText } from './definitions-text.js';
import { EXIT } from './failure.js';
import { inOwnWords } from './own-words.js';
import { commandLine, count, plural, print, printTable, style } from './terminal.js';

/** The exit code that a job's outcome is. */
export function exitCodeOf({ status, progressTracker: { errorCount } }: Job): number {
  if (status === 'AWAITING_APPROVAL') return EXIT.awaitsApproval;
  if (status === 'COMPLETED_PARTIALLY' || (status === 'COMPLETED' && errorCount > 0)) return EXIT.someRowsFailed;
  return status === 'COMPLETED' ? EXIT.done : EXIT.failed;
}

/** Jobs whose count of updated rows contains items that they delete. */
const DELETING = ['ITEM_BULK_DELETE', 'REVERT', 'STAGE_COMPARE', 'STAGE_PROMOTE'];

/** How many rows of a job deleted something, or would; undefined: its changes do not say it, or do not any more. */
export async function deletedBy(api: LongshoreClient, job: Job): Promise<number | undefined> {
  const { updatedCount } = job.progressTracker;
  if (!DELETING.includes(job.type) || updatedCount === 0) return 0;
  try {
    const { operations, definitions } = await api.summarizeJobChanges({ id: job.id });
    const { UPDATED = 0, DELETED = 0 } = operations;
    const deleted = definitions.reduce((sum, one) => sum + one.deleted, DELETED);
    const changed = definitions.reduce((sum, one) => sum + one.updated, UPDATED + deleted);
    return changed === updatedCount ? deleted : undefined;
  } catch (error) {
    // The counts are shown to those who may see no values.
    if (error instanceof LongshoreError) return undefined;
    throw error;
  }
}

/**
 * Prints the outcome of a job that has ended, or its state.
 * @param deleted how many of its updated rows deleted something; undefined: it is not known
 */
export function printJob(job: Job, deleted: number | undefined = 0): void {
  const { bold, green, yellow, red, cyan } = style(process.stdout);
  const paint =
    job.completedAt === null
      ? cyan
      : exitCodeOf(job) === EXIT.done
        ? green
        : exitCodeOf(job) === EXIT.failed
          ? red
          : yellow;
  const { totalCount, processedCount, createdCount, updatedCount, unchangedCount, errorCount } = job.progressTracker;
  const rows = totalCount === null ? '' : `: ${count(processedCount)} of ${plural(totalCount, 'row')}`;
  print(
    `${bold(paint(job.status))}${rows}${job.options.validateOnly === true ? ' (dry run: nothing was written)' : ''}`,
  );
  // The counts below say the same of failed rows.
  const isSaid = job.status === 'COMPLETED_PARTIALLY' && job.reason === null;
  if (job.statusMessage !== null && !isSaid) print(linesOf(job.statusMessage));
  const created = definitionsText(job.created ?? NOTHING);
  if (created !== '') print(`${job.options.validateOnly === true ? 'would be created' : 'created'}: ${created}`);
  if (processedCount > 0 && !job.type.endsWith('EXPORT')) {
    const would = job.status === 'AWAITING_APPROVAL' && job.removal?.waits !== true ? 'would be: ' : '';
    const updated = deleted === undefined ? 'updated or deleted' : 'updated';
    const besides = deleted ? `, ${count(deleted)} deleted` : '';
    print(
      `${would}${count(createdCount)} created, ${count(updatedCount - (deleted ?? 0))} ${updated}${besides}, ${count(unchangedCount)} unchanged, ${count(errorCount)} failed`,
    );
  }
  if (job.status === 'AWAITING_APPROVAL') printHowToApprove(job);
}

/** What an export was asked for: the filter as `longshore export --match` takes it. */
export function printRequest({ request, options: { format }, profile }: Job): void {
  if (request === undefined) return;
  const { match, named, columns, since, publishAs } = request;
  const from = since?.jobId === undefined ? (since?.time ?? since?.cursor) : `job ${since.jobId}`;
  const lines = {
    match: match === undefined ? undefined : JSON.stringify(match),
    named: named === undefined ? undefined : plural(named, 'record'),
    format: typeof format === 'string' ? format : undefined,
    profile: profile === null ? undefined : (profile.name ?? 'one that came with the request'),
    columns: columns?.join(', '),
    'changed since': from,
    'published as': publishAs,
  };
  for (const [what, said] of Object.entries(lines)) if (said !== undefined) print(`${what}: ${said}`);
}

/** What somebody else can do, whose token has the scope catalog:approve. */
function printHowToApprove({ id, removal }: Job): void {
  print();
  const what =
    removal?.waits === true
      ? 'Nothing is removed yet. See what would go'
      : 'Nothing is written yet. See what it would change';
  print(`${what}, and approve or reject it:`);
  for (const what of ['changes', 'approve', 'reject']) print(`  ${commandLine('jobs', what, id)}`);
}

const NOTHING = { attributes: 0, options: 0, categories: 0, assignments: 0 };

/** The message of a job. Several problems are a line each. */
function linesOf(message: string): string {
  return inOwnWords(message).replaceAll('\n', '\n  ');
}

const ROWS_WIDTH = 20;

/** Prints the errors and the warnings of a job, by code and column. */
export function printErrorSummary({ errorSummary, warnings }: Job): void {
  const lines = (summary: Job['errorSummary']) =>
    summary.map(({ code, path, count: number, rows, example }) => [
      code,
      path ?? '',
      count(number),
      process.stdout.isTTY && rows.length > ROWS_WIDTH ? `${rows.slice(0, ROWS_WIDTH - 1)}…` : rows,
      inOwnWords(example),
    ]);
  if (errorSummary.length > 0) {
    print();
    printTable(['CODE', 'COLUMN', 'COUNT', 'ROWS', 'FIRST MESSAGE'], lines(errorSummary));
    if (errorSummary.some(({ code }) => code === 'ATTRIBUTE_NOT_ASSIGNED')) printHowToAssign();
  }
  if (warnings.length > 0) {
    print();
    printTable(['WARNING', 'COLUMN', 'COUNT', 'ROWS', 'FIRST MESSAGE'], lines(warnings));
  }
}

/** An import of categories sets all attributes of a category, so that it begins with those that it has. */
function printHowToAssign(): void {
  print();
  print('To assign attributes to a category, add their names to its "Item Attributes" in the file of categories:');
  print(`  ${commandLine('export', 'categories', '-o', 'categories.csv')}`);
  print(`  ${commandLine('import', 'categories.csv', '--type', 'categories')}`);
}

/** Prints single errors. */
export function printErrors(errors: readonly JobError[]): void {
  print();
  printTable(
    ['ROW', 'KEY', 'COLUMN', 'CODE', 'MESSAGE'],
    errors.map(({ row, key, column, code, message }) => [
      String(row),
      key ?? '',
      column ?? '',
      code,
      inOwnWords(message),
    ]),
  );
}
