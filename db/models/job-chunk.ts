/** A chunk of a job: consecutive rows that are applied in one transaction. */
import { Model } from 'objection';

export type ChunkStatus = 'pending' | 'dispatched' | 'done' | 'cancelled';

/** What a chunk records besides its counts, with short names, because each chunk of a job records it. */
export interface ChunkWarnings {
  readonly noted: readonly ChunkWarning[];
  /** The columns of a file in which no row of the chunk has a value. */
  readonly empty: readonly string[];
  /** The columns in which a number tells how the others are meant; a release before this field leaves it out. */
  readonly decided?: readonly string[];
}

/** A code (`c`) in a column (`p`), in `n` rows: the first ranges of them, and whether there are `more`. */
export interface ChunkWarning {
  readonly c: string;
  readonly p: string;
  readonly n: number;
  readonly r: readonly (readonly [low: number, high: number])[];
  readonly more?: boolean;
  /** Says what was noted in the first row. */
  readonly e: string;
}

export class JobChunk extends Model {
  static override readonly tableName = 'job_chunk';
  static override readonly idColumn = ['job_id', 'idx'];

  declare job_id: string;
  declare idx: number;
  /** The number of its current pass. */
  declare wave: number;
  declare status: ChunkStatus;
  /** Its fencing token. */
  declare dispatch: number;
  declare dispatched_at: Date | null;
  declare attempts: number;
  /** Consecutive outages that it has met. */
  declare outages: number;
  /** How often it has ended a process in which nothing else ran. */
  declare deaths: number;
  declare first_row: number;
  declare row_count: number;
  declare byte_start: number | null;
  declare byte_end: number | null;
  declare input: string | null;
  declare duplicates: [row: number, winningRow: number][] | null;
  declare outcomes: string | null;
  declare created_count: number;
  declare updated_count: number;
  declare unchanged_count: number;
  declare error_count: number;
  /** What was noted about its applied rows; null: nothing. */
  declare warnings: ChunkWarnings | null;
  declare done_at: Date | null;
}
