/** `longshore stage export` and `longshore stage import`: a whole stage as one archive. */
import type { Job } from '@longshore/client';
import type { Command } from 'commander';
import { type CommonOptions, clientOf, findAccess, withAccess } from '../access.js';
import { withProgress } from '../import/progress.js';
import { goOn } from '../import/resume.js';
import { openFile } from '../import-input.js';
import { exitCodeOf, printErrorSummary, printJob } from '../job-report.js';
import { count, note, print, printJson, size, style } from '../terminal.js';
import { writeExport } from '../write-export.js';
import { requireFree } from '../write-file.js';

interface ExportOptions extends CommonOptions {
  readonly output?: string;
  readonly force?: boolean;
}

interface ImportOptions extends CommonOptions {
  readonly dryRun?: boolean;
  readonly wait?: boolean;
}

export function addStage(program: Command): void {
  const stage = program
    .command('stage')
    .description('copy a whole stage: definitions, items and what is set around them')
    .addHelpText(
      'after',
      '\nExamples:\n  longshore stage export -o production.zip\n  longshore stage import production.zip --stage test',
    );
  withAccess(stage.command('export').description('write a whole stage to one archive'))
    .option('-o, --output <file>', 'the archive, "-" for standard output; default: the name of the stage and .zip')
    .option('--force', 'replace the file if it exists')
    .addHelpText(
      'after',
      '\nThe archive has no secrets of webhooks.\n\nExamples:\n  longshore stage export -o production.zip\n  longshore stage export --stage test -o - | sha256sum',
    )
    .action(exportCommand);
  withAccess(
    stage.command('import').argument('<file>').description('import the archive of a stage, all of it or nothing'),
  )
    .option('--dry-run', 'check it, say what it would change, and write nothing')
    .option('--wait', 'wait until somebody has approved it, and it has ended')
    .addHelpText(
      'after',
      `
Into an empty stage it is written at once. Into any other it waits for an approval, after it has shown what it would change.
What the stage has and the archive has not stays. Webhooks are disabled, and have new secrets.

Examples:
  longshore stage import production.zip --stage test
  longshore stage import production.zip --stage test --dry-run`,
    )
    .action(async (path: string, options: ImportOptions) => {
      process.exitCode = exitCodeOf(await importCommand(path, options));
    });
}

async function exportCommand(options: ExportOptions): Promise<void> {
  const path = options.output ?? `${findAccess(options).stage}.zip`;
  if (path !== '-') requireFree(path, options.force === true);
  const { job, rows, bytes } = await writeExport(path, options.json !== true, (destination, waiting) =>
    clientOf(options).exportStage(destination, waiting),
  );
  if (options.json && path !== '-') printJson({ file: path, rows, bytes, job });
  else note(`${count(rows)} rows written${path === '-' ? '' : ` to ${path}`} (${size(bytes)})`);
}

async function importCommand(path: string, options: ImportOptions): Promise<Job> {
  const access = findAccess(options);
  const input = openFile(path);
  const api = clientOf(options);
  if (!options.json) note(style(process.stderr).dim(`${input.title} → ${access.baseUrl}, stage ${access.stage}`));
  const how = { type: 'SITE_IMPORT', dryRun: options.dryRun === true };
  const { attempt, result } = await goOn(input, access, how, options, (attempt) =>
    withProgress(attempt, options, (onProgress) =>
      api.importStage(input.source, {
        ...(options.dryRun ? { dryRun: true } : {}),
        ...attempt.call,
        onProgress,
      }),
    ),
  );
  const waits = result.job.status === 'AWAITING_APPROVAL' && options.wait === true;
  if (waits && !options.json) show(result.job);
  const job = waits ? await untilDecided(result.job.id, options) : result.job;
  if (options.json) printJson({ outcome: result.outcome, job });
  else show(job);
  attempt.forget();
  return job;
}

/** How often it is asked whether somebody has decided. */
const ASK_EVERY_MS = 3_000;

/** Waits until the job is approved, and has ended; or is rejected, or expires. */
async function untilDecided(id: string, options: ImportOptions): Promise<Job> {
  const api = clientOf(options);
  for (;;) {
    const job = await api.waitForJob(id);
    if (job.completedAt !== null) return job;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

function show(job: Job): void {
  printJob(job);
  printArchive(job);
  print(style(process.stdout).dim(`job ${job.id}`));
  printErrorSummary(job);
}

function printArchive({ archive, options, status }: Job): void {
  if (archive === undefined) return;
  const would = status === 'AWAITING_APPROVAL' || options.validateOnly === true ? 'would be ' : '';
  const { settings, items, webhooks, ...parts } = archive;
  for (const [name, part] of Object.entries({ ...parts, webhooks })) {
    const besides = part.notInArchive === 0 ? '' : `, ${count(part.notInArchive)} not in the archive stay`;
    print(
      `${name}: ${would}${count(part.created)} created, ${count(part.updated)} updated, ${count(part.unchanged)} unchanged${besides}`,
    );
  }
  if (webhooks.elsewhere > 0) print(`webhooks: ${count(webhooks.elsewhere)} left out, because another stage has them`);
  if (settings === 'CHANGED') print(`settings: ${would}changed`);
  if (items.notInArchive > 0) print(`items: ${count(items.notInArchive)} not in the archive stay`);
}
