/** How a job is shown to an assistant, and what it is told to do next. */
import type { Job } from '@longshore/client';
import { AWAITING_APPROVAL } from '../approval.js';

const MOST_LINES = 20;

/** What lists say of a job. */
export function shownJob(job: Job): Record<string, unknown> {
  const { id, type, status, reason, statusMessage, inputFileName, progressTracker, options } = job;
  const { createdAt, completedAt, outcome } = job;
  const { totalCount, createdCount, updatedCount, unchangedCount, errorCount } = progressTracker;
  const said = { reason, statusMessage, inputFileName, outcome, createdAt, completedAt };
  return {
    id,
    type,
    status,
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null)),
    rows: {
      total: totalCount,
      created: createdCount,
      updated: updatedCount,
      unchanged: unchangedCount,
      failed: errorCount,
    },
    ...(options.validateOnly === true ? { isDryRun: true } : {}),
    ...(options.requireApproval === true ? { needsApproval: true } : {}),
  };
}

/** All that is known of a job, but for its errors and changes, which have pages. */
export function wholeJob(job: Job): Record<string, unknown> {
  const { errorSummary, warnings, options, profile, inputFileId, outputFiles, errorFiles, created } = job;
  return {
    ...shownJob(job),
    options,
    ...(profile === null ? {} : { profile }),
    ...(inputFileId === null ? {} : { inputFileId }),
    ...(outputFiles.length === 0 ? {} : { outputFiles }),
    ...(errorFiles.length === 0 ? {} : { errorFiles }),
    ...(created === undefined ? {} : { created }),
    errorSummary: errorSummary.slice(0, MOST_LINES),
    warnings: warnings.slice(0, MOST_LINES),
    ...moreLines(errorSummary.length, 'moreErrorLines'),
    ...moreLines(warnings.length, 'moreWarningLines'),
  };
}

function moreLines(count: number, name: string): Record<string, number> {
  return count > MOST_LINES ? { [name]: count - MOST_LINES } : {};
}

/** A sentence about what a job has come to. */
export function stateOf({ id, status, completedAt, progressTracker, options, removal }: Job): string {
  const { errorCount } = progressTracker;
  const failing = errorCount === 1 ? '1 row fails' : `${errorCount} rows fail`;
  const failed = errorCount === 0 ? '' : ` ${failing}: see job_errors.`;
  if (status === AWAITING_APPROVAL) {
    if (removal?.waits === true) {
      return `Job ${id} has applied its rows, and waits for approval by a person to remove what its file lacks. job_changes shows what would go.${failed}`;
    }
    return `Job ${id} waits for approval by a person; nothing is applied. job_changes shows what it would change.${failed}`;
  }
  if (completedAt === null) return `Job ${id} is ${status}: call get_job again.${failed}`;
  if (options.validateOnly === true) return `Job ${id} was a dry run and changed nothing: ${status}.${failed}`;
  return `Job ${id} has ended: ${status}.${failed}`;
}
