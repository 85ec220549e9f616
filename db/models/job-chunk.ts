/** A chunk of a job: consecutive rows that are applied in one transaction. */
import { Model } from 'objection';

export type ChunkStatus = 'pending' | 'dispatched' | 'done' | 'cancelled';

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
  declare done_at: Date | null;
}
