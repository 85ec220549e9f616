/** `longshore jobs approve JOB` and `longshore jobs reject JOB`. */
import type { Job, LongshoreClient } from '@longshore/client';
import type { Command } from 'commander';
import { type CommonOptions, clientOf, withAccess } from '../access.js';
import { EXIT } from '../failure.js';
import { exitCodeOf } from '../job-report.js';

interface DecisionOptions extends CommonOptions {
  readonly note?: string;
}

/** @param watch follows a job until it has ended @param show prints a job */
export function addApprovals(
  jobs: Command,
  watch: (api: LongshoreClient, id: string, options: CommonOptions) => Promise<Job>,
  show: (job: Job, options: CommonOptions) => Promise<void>,
): void {
  withAccess(jobs.command('approve').argument('<job>').description('approve what a job would change, and follow it'))
    .option('--note <text>', 'why; it is kept with the job')
    .addHelpText(
      'after',
      '\nLook at it before with `longshore jobs changes`. A row that would change something else by now is not written. The token that\nhas created the job may not approve it. The exit code is that of its outcome, as with jobs watch.\n\nExamples:\n  longshore jobs list --status AWAITING_APPROVAL\n  longshore jobs approve JOB',
    )
    .action(async (id: string, { note, ...options }: DecisionOptions) => {
      const api = clientOf(options);
      await api.approveJob({ id, body: note === undefined ? {} : { note } });
      const job = await watch(api, id, options);
      await show(job, options);
      process.exitCode = exitCodeOf(job);
    });
  withAccess(
    jobs.command('reject').argument('<job>').description('reject what a job would change; nothing of it is written'),
  )
    .option('--note <text>', 'why; it is kept with the job')
    .addHelpText('after', '\nExamples:\n  longshore jobs reject JOB --note "the prices of last year"')
    .action(async (id: string, { note, ...options }: DecisionOptions) => {
      const job = await clientOf(options).rejectJob({ id, body: note === undefined ? {} : { note } });
      await show(job, options);
      process.exitCode = EXIT.done;
    });
}
