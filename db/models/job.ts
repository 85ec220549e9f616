/** A job: work that was accepted from a client or created by the system. */
import { Model } from 'objection';

export const JOB_STATUSES = [
  'AWAITING_UPLOAD',
  'AWAITING_PROFILE',
  'AWAITING_APPROVAL',
  'SCHEDULED',
  'IN_PROGRESS',
  'COMPLETED',
  'COMPLETED_PARTIALLY',
  'REJECTED',
  'FAILED',
  'CANCELLATION_IN_PROGRESS',
  'CANCELLED',
  'EXPIRED',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];
export type JobStep = 'plan' | 'apply' | 'finish' | 'apply-all' | 'export' | 'replay' | 'inspect' | 'feed';

/** One line of a job's error summary, or of its warnings: one code in one column, how often it occurs and in which rows. */
export interface ErrorSummaryLine {
  readonly code: string;
  readonly path: string | null;
  readonly count: number;
  /** Row numbers and ranges: "3, 9-120". */
  readonly rows: string;
  /** The first such message. */
  readonly example: string;
}

export class Job extends Model {
  static override readonly tableName = 'job';

  declare id: string;
  declare site_id: number;
  declare account_id: string;
  declare type: string;
  /** The job type, which defines what `options` and `plan` contain. */
  declare kind: string;
  declare status: JobStatus;
  /** While the job has not ended: why it waits. */
  declare status_message: string | null;
  declare reason: string | null;
  declare options: unknown;
  declare channel: number | null;
  declare request_id: string | null;
  /** The W3C trace context of the request that it comes from; null: none. */
  declare traceparent: string | null;
  /** Who asked for it: "token:5f…"; null: the system itself, or a release that did not note it. */
  declare actor: string | null;
  /** When its errors, rows and files were deleted, of a job that is kept because its changes are; null: they were not. */
  declare pruned_at: Date | null;
  declare input_file_id: string | null;
  declare error_file_id: string | null;
  declare output_file_id: string | null;
  /** Its position in the ordering queue of its site. */
  declare line_no: number | null;
  /** Whether it may run at the same time as other concurrent jobs of its site. */
  declare shared: boolean;
  declare step: JobStep | null;
  /** The fencing token of its step; for the plan step it is in job_order, and for chunks in job_chunk. */
  declare dispatch: number;
  declare dispatched_at: Date | null;
  declare attempts: number;
  /** Consecutive outages that its step has met. */
  declare outages: number;
  /** How often its step has ended a process in which nothing else ran. */
  declare deaths: number;
  declare plan: unknown;
  declare definitions_version: number | null;
  declare total_count: number | null;
  declare processed_count: number;
  declare created_count: number;
  declare updated_count: number;
  declare unchanged_count: number;
  declare error_count: number;
  declare error_summary: ErrorSummaryLine[] | null;
  declare warnings: ErrorSummaryLine[] | null;
  /** The ids of the events of its end; null when there was no subscriber. */
  declare end_event_ids: string[] | null;
  declare created_at: Date;
  declare started_at: Date | null;
  declare completed_at: Date | null;
  declare updated_at: Date;
}

/** The columns of a job, as they are in the table. */
export type JobRow = Omit<Job, keyof Model>;

/** The columns of a job, for prepared statements: their results may not change when a migration adds a column. */
export const JOB_COLUMNS: readonly (keyof JobRow)[] = [
  'id',
  'site_id',
  'account_id',
  'type',
  'kind',
  'status',
  'status_message',
  'reason',
  'options',
  'channel',
  'request_id',
  'traceparent',
  'actor',
  'pruned_at',
  'input_file_id',
  'error_file_id',
  'output_file_id',
  'line_no',
  'shared',
  'step',
  'dispatch',
  'dispatched_at',
  'attempts',
  'outages',
  'deaths',
  'plan',
  'definitions_version',
  'total_count',
  'processed_count',
  'created_count',
  'updated_count',
  'unchanged_count',
  'error_count',
  'error_summary',
  'warnings',
  'end_event_ids',
  'created_at',
  'started_at',
  'completed_at',
  'updated_at',
];
