/** One problem of one row of a job. */
import { Model } from 'objection';

export class JobError extends Model {
  static override readonly tableName = 'job_error';
  static override readonly idColumn = ['job_id', 'row_no', 'seq'];

  declare job_id: string;
  declare row_no: number;
  declare seq: number;
  declare key: string | null;
  declare col: string | null;
  declare code: string;
  declare message: string;
  declare value: string | null;
  /** Of a superseded row: the row with the same key that won. */
  declare winning_row: number | null;
}
