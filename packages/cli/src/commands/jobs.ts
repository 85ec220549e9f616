/** `longshore jobs …` and `longshore errors JOB`. */
import type { Job, JobError, LongshoreClient } from '@longshore/client';
import type { Command } from 'commander';
import { type CommonOptions, clientOf, wholeNumber, withAccess } from '../access.js';
import { EXIT } from '../failure.js';
import { deletedBy, exitCodeOf, printErrorSummary, printErrors, printJob, printRequest } from '../job-report.js';
import {
  commandLine,
  count,
  note,
  plural,
  print,
  printJson,
  printTable,
  progressBar,
  ROWS,
  style,
} from '../terminal.js';
import { requireFree, writeFile } from '../write-file.js';
import { addApprovals } from './approvals.js';
import { addChanges } from './changes.js';
import { addStageComparison } from './compare-stages.js';

interface ListOptions extends CommonOptions {
  readonly status?: string;
  readonly type?: string;
  readonly limit: number;
}

interface RetryOptions extends CommonOptions {
  readonly failed?: boolean;
  readonly force?: boolean;
}

interface RevertOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly requireApproval?: boolean;
}

interface ErrorOptions extends CommonOptions {
  readonly limit: number;
  readonly output?: string;
  readonly force?: boolean;
}

const DEFAULT_JOBS = 20;
const DEFAULT_ERRORS = 20;
const upper = (value: string) => value.toUpperCase();

export function addJobs(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('list, show, follow, approve, cancel, retry and revert jobs')
    .addHelpText('after', '\nExamples:\n  longshore jobs list\n  longshore jobs watch JOB');
  withAccess(jobs.command('list').description('the newest jobs first'))
    .option('--status <status>', 'such as IN_PROGRESS or FAILED', upper)
    .option('--type <type>', 'such as ITEM_IMPORT', upper)
    .option('--limit <number>', 'how many', wholeNumber, DEFAULT_JOBS)
    .addHelpText('after', '\nExamples:\n  longshore jobs list\n  longshore jobs list --status FAILED --json')
    .action(listCommand);
  withAccess(jobs.command('show').argument('<job>').description('a job: its counts and its errors by code and column'))
    .addHelpText('after', '\nExamples:\n  longshore jobs show 6920f0c4a1b2c3d4e5f60718')
    .action(async (id: string, options: CommonOptions) => show(await clientOf(options).getJob({ id }), options));
  withAccess(jobs.command('watch').argument('<job>').description('follow a job until it has ended'))
    .addHelpText(
      'after',
      '\nThe exit code is that of its outcome: 0 all applied, 2 some rows failed, 1 failed, 3 it waits for an approval.\n\nExamples:\n  longshore jobs watch JOB && echo applied',
    )
    .action(async (id: string, options: CommonOptions) => {
      const job = await watch(clientOf(options), id, options);
      await show(job, options);
      process.exitCode = exitCodeOf(job);
    });
  withAccess(jobs.command('cancel').argument('<job>').description('stop a job; what was applied stays'))
    .addHelpText('after', '\nExamples:\n  longshore jobs cancel JOB')
    .action(async (id: string, options: CommonOptions) => {
      const api = clientOf(options);
      await api.cancelJob({ id });
      const job = await watch(api, id, options);
      await show(job, options);
      process.exitCode = job.status === 'CANCELLED' ? EXIT.done : EXIT.failed;
    });
  withAccess(jobs.command('retry').argument('<job>').description('repeat the rows of a job that it has not applied'))
    .option('--failed', 'only the rows that failed')
    .option('--force', 'also rows whose item a later job has changed')
    .addHelpText(
      'after',
      '\nIt is a new job at the end of the order. The exit code is that of its outcome, as with jobs watch.\n\nExamples:\n  longshore jobs retry JOB --failed',
    )
    .action(async (id: string, { failed = false, force = false, ...options }: RetryOptions) => {
      const api = clientOf(options);
      const again = await api.retryJob({ id, body: { rows: failed ? 'failed' : 'all', force } });
      const job = await watch(api, 'jobId' in again ? again.jobId : again.id, options);
      await show(job, options);
      process.exitCode = exitCodeOf(job);
    });
  addApprovals(jobs, watch, show);
  addChanges(program, jobs);
  addStageComparison(program, watch, show);
  withAccess(jobs.command('revert').argument('<jobs...>').description('take back what jobs have changed'))
    .option('--dry-run', 'only say what it would take back')
    .option('--require-approval', 'let it wait for an approval')
    .addHelpText(
      'after',
      '\nItems that were changed again afterwards are kept as they are, and reported. The exit code is that of its outcome.\n\nExamples:\n  longshore jobs revert JOB --dry-run\n  longshore jobs revert JOB JOB2',
    )
    .action(async (ids: string[], { dryRun = false, requireApproval = false, ...options }: RevertOptions) => {
      const api = clientOf(options);
      const begun = await api.revertJobs({ body: { jobIds: ids, validateOnly: dryRun, requireApproval } });
      const job = await watch(api, 'jobId' in begun ? begun.jobId : begun.id, options);
      await show(job, options);
      process.exitCode = exitCodeOf(job);
    });
  withAccess(program.command('errors').argument('<job>').description('the errors of a job, by code and column'))
    .option('--limit <number>', 'how many single errors are shown', wholeNumber, DEFAULT_ERRORS)
    .option('-o, --output <file>', 'write the file with the failed rows, to be corrected and imported')
    .option('--force', 'replace the file if it exists')
    .addHelpText(
      'after',
      `
Examples:
  longshore errors JOB
  longshore errors JOB -o items.errors.csv
  longshore errors JOB --limit 1000 --json | jq -r '.errors[].code' | sort | uniq -c`,
    )
    .action(errorsCommand);
}

async function listCommand({ status, type, limit, ...options }: ListOptions): Promise<void> {
  const query = {
    limit,
    ...(status === undefined ? {} : { status: status as Job['status'] }),
    ...(type === undefined ? {} : { type }),
  };
  const page = await clientOf(options).listJobs(query);
  if (options.json) return printJson(page);
  printJobs(page.data);
  if (page.count > page.data.length) note(`${count(page.data.length)} of ${plural(page.count, 'job')}`);
}

/** A line for each job. */
export function printJobs(jobs: readonly Job[]): void {
  if (jobs.length === 0) return print('There are no jobs.');
  printTable(
    ['JOB', 'TYPE', 'STATUS', 'ROWS', 'FAILED', 'CREATED', 'FILE'],
    jobs.map((job) => [
      job.id,
      job.type,
      job.status,
      job.progressTracker.totalCount === null ? '' : count(job.progressTracker.totalCount),
      failedRows(job),
      job.createdAt ?? '',
      job.inputFileName ?? '',
    ]),
    2,
  );
}

/** How many rows failed, whether all did, and whether it was only tried. */
function failedRows({ outcome, progressTracker: { errorCount }, options: { validateOnly } }: Job): string {
  const dryRun = validateOnly === true ? 'dry run' : '';
  if (errorCount === 0) return dryRun;
  const which = outcome === 'ALL_FAILED' ? `all ${count(errorCount)}` : count(errorCount);
  return dryRun === '' ? which : `${which}, ${dryRun}`;
}

async function show(job: Job, options: CommonOptions): Promise<void> {
  if (options.json) return printJson(job);
  const deleted = await deletedBy(clientOf(options), job);
  print(style(process.stdout).dim(`job ${job.id}, ${job.type}, created ${job.createdAt}`));
  printJob(job, deleted);
  printRequest(job);
  printErrorSummary(job);
}

async function watch(api: LongshoreClient, id: string, { json }: CommonOptions): Promise<Job> {
  const bar = progressBar(json !== true);
  try {
    return await api.waitForJob(id, {
      onProgress: ({ progressTracker: { processedCount, totalCount } }) =>
        bar.show('Waiting', processedCount, totalCount, ROWS),
    });
  } finally {
    bar.end();
  }
}

async function errorsCommand(id: string, options: ErrorOptions): Promise<void> {
  const api = clientOf(options);
  const job = await api.getJob({ id });
  const errors: JobError[] = [];
  for await (const error of api.jobErrors(id)) {
    if (errors.push(error) >= options.limit) break;
  }
  const file =
    options.output === undefined ? null : await writeErrors(api, job, options.output, options.force === true);
  if (options.json) return printJson({ jobId: id, errorSummary: job.errorSummary, errors, file });
  if (job.errorSummary.length === 0) return print('The job has no errors.');
  printErrorSummary(job);
  printErrors(errors);
  const { errorCount } = job.progressTracker;
  if (errors.length >= options.limit) note(`The first ${count(errors.length)}; see more with --limit.`);
  if (file !== null)
    print(
      `\nThe ${plural(errorCount, 'row')} that failed: ${file}. Correct ${errorCount === 1 ? 'it' : 'them'} there, then:\n  ${commandLine('import', file)}`,
    );
}

async function writeErrors(api: LongshoreClient, job: Job, path: string, force: boolean): Promise<string | null> {
  const [fileId] = job.errorFiles;
  if (fileId === undefined) {
    note('The job has no error file: its rows did not come from a file, or none failed.');
    return null;
  }
  requireFree(path, force);
  await writeFile(path, await api.download(fileId));
  return path;
}
