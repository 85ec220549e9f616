/** A piece of work that a client was told is accepted. */
import { Model } from 'objection';

export type JobStatus =
  | 'AWAITING_UPLOAD'
  | 'SCHEDULED'
  | 'IN_PROGRESS'
  | 'COMPLETED'
  | 'COMPLETED_PARTIALLY'
  | 'REJECTED'
  | 'FAILED'
  | 'CANCELLATION_IN_PROGRESS'
  | 'CANCELLED'
  | 'EXPIRED';
export type JobStep = 'plan' | 'apply' | 'finish' | 'apply-all' | 'export' | 'replay';

/** One line of a job's summary: what went wrong alike, how often and in which rows. */
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
  /** The type of job, which says what `options` and `plan` hold. */
  declare kind: string;
  declare status: JobStatus;
  declare status_message: string | null;
  declare reason: string | null;
  declare options: unknown;
  declare channel: number | null;
  declare request_id: string | null;
  declare input_file_id: string | null;
  declare error_file_id: string | null;
  declare output_file_id: string | null;
  declare line_no: number | null;
  declare shared: boolean;
  declare step: JobStep | null;
  declare dispatch: number;
  declare dispatched_at: Date | null;
  declare attempts: number;
  declare plan: unknown;
  declare definitions_version: number | null;
  declare total_count: number | null;
  declare processed_count: number;
  declare created_count: number;
  declare updated_count: number;
  declare unchanged_count: number;
  declare error_count: number;
  declare error_summary: ErrorSummaryLine[] | null;
  /** Of the events that tell of its end, where anybody listens. */
  declare end_event_ids: string[] | null;
  declare created_at: Date;
  declare started_at: Date | null;
  declare completed_at: Date | null;
  declare updated_at: Date;
}

/** The columns of a job, as they lie in the table. */
export type JobRow = Omit<Job, keyof Model>;
