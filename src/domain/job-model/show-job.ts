/** How clients see a job. */
import type { z } from 'zod';
import type { ErrorSummaryLine, JobRow, JobStatus } from '../../../db/models/job.js';
import type { FormatOption } from '../formats/file-formats/definition.js';
import { approvalOf } from './approval.js';
import { type ArchiveReport, archiveReport } from './archive-report.js';
import { createdDefinitions } from './created-definitions.js';
import { type RemovalReport, removalReport } from './removal-report.js';

/** A job as clients see it, by GET /jobs/{id} and by the events of its end alike. Times are ISO 8601. */
interface ShownJob {
  readonly id: string;
  readonly type: string;
  readonly status: JobStatus;
  readonly statusMessage: string | null;
  readonly reason: string | null;
  readonly inputFileId: string | null;
  readonly outputFiles: string[];
  readonly errorFiles: string[];
  readonly progressTracker: {
    readonly totalCount: number | null;
    readonly processedCount: number;
    readonly createdCount: number;
    readonly updatedCount: number;
    readonly unchangedCount: number;
    readonly errorCount: number;
    readonly updatedAt: string;
  };
  readonly errorSummary: ErrorSummaryLine[];
  readonly warnings: ErrorSummaryLine[];
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly options: Readonly<Record<string, unknown>>;
  /** The profile by which its file is read; a name of null: one that came with the request. Null: none. */
  readonly profile: { readonly name: string | null; readonly version: number | null } | null;
  /** The definitions that it has created for its rows, or would have if it is a dry run; absent: none were asked for. */
  readonly created?: z.output<typeof createdDefinitions>;
  /** Of the import of an archive: what it did besides its items, or would do; absent: nothing. */
  readonly archive?: ArchiveReport;
  /** Of a file that is the whole truth: what became of the items that it lacks; absent: it has not come to that. */
  readonly removal?: RemovalReport;
}

/**
 * The options of requests and announcements, by which a job is repeated. Others are how a type stores its work. The
 * callbackUrl may contain a secret, and subscribers that are notified of the job are others.
 * The type demands every option of a file format.
 */
const SHOWN_OPTIONS: Readonly<
  Record<
    | FormatOption
    | 'mode'
    | 'onError'
    | 'validateOnly'
    | 'retryOf'
    | 'revertOf'
    | 'with'
    | 'compareOf'
    | 'definitions'
    | 'createMissing'
    | 'snapshot',
    true
  >
> = {
  mode: true,
  onError: true,
  validateOnly: true,
  retryOf: true,
  revertOf: true,
  with: true,
  compareOf: true,
  definitions: true,
  createMissing: true,
  snapshot: true,
  delimiter: true,
  decimalSeparator: true,
  dateFormat: true,
  encoding: true,
  sheet: true,
  escapeFormulas: true,
};

function shownOptions(stored: unknown): Record<string, unknown> {
  const { formatting, ...options }: Readonly<Record<string, unknown>> = { ...Object(stored) };
  const shown = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(SHOWN_OPTIONS, name) && value !== undefined,
  );
  // The options of exports are stored in a member of their own.
  const approval = approvalOf(stored);
  // The dry run before the approval is no option of the client.
  const awaited =
    approval === undefined || approval.only !== undefined ? {} : { validateOnly: false, requireApproval: true };
  return { ...Object(formatting), ...Object.fromEntries(shown), ...awaited };
}

function shownProfile(stored: unknown): ShownJob['profile'] {
  const { profile }: { readonly profile?: ShownJob['profile'] } = Object(stored);
  return profile ? { name: profile.name, version: profile.version } : null;
}

function shownReports({
  options: stored,
  completed_at: end,
}: Pick<JobRow, 'options' | 'completed_at'>): Pick<ShownJob, 'created' | 'archive' | 'removal'> {
  const { data: created } = createdDefinitions.safeParse(Object(stored).created);
  const { data: archive } = archiveReport.safeParse(Object(stored).archive);
  const removal = removalReport.safeParse(Object(stored).removal).data ?? (end === null ? undefined : notMade(stored));
  return {
    ...(created === undefined ? {} : { created }),
    ...(archive === undefined ? {} : { archive }),
    ...(removal === undefined ? {} : { removal }),
  };
}

/** What was decided about removals that were approved, and not made: the job was cancelled, or has failed. */
function notMade(stored: unknown): RemovalReport | undefined {
  const approval = approvalOf(stored);
  if (approval?.removal === undefined) return undefined;
  const { waits: _, ...decided } = approval.removal;
  // Where the rows were applied, it is as the brake had stopped it.
  return { ...decided, removed: 0, kept: approval.only === undefined ? decided.missing : decided.kept };
}

/** A job as clients see it: the answer of GET /jobs/{id}, and what the events of its end contain. */
export function showJob(job: Omit<JobRow, 'plan'>): ShownJob {
  return {
    id: job.id,
    type: job.type,
    status: job.status,
    statusMessage: job.status_message,
    reason: job.completed_at === null ? null : job.reason,
    inputFileId: job.input_file_id,
    outputFiles: job.output_file_id === null ? [] : [job.output_file_id],
    errorFiles: job.error_file_id === null ? [] : [job.error_file_id],
    progressTracker: {
      totalCount: job.total_count,
      processedCount: job.processed_count,
      createdCount: job.created_count,
      updatedCount: job.updated_count,
      unchangedCount: job.unchanged_count,
      errorCount: job.error_count,
      updatedAt: job.updated_at.toISOString(),
    },
    errorSummary: job.error_summary ?? [],
    warnings: job.warnings ?? [],
    createdAt: job.created_at.toISOString(),
    startedAt: job.started_at?.toISOString() ?? null,
    completedAt: job.completed_at?.toISOString() ?? null,
    options: shownOptions(job.options),
    profile: shownProfile(job.options),
    ...shownReports(job),
  };
}
