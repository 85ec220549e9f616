/** A job's row in the order of its site. */
import type { Db } from '../../../db/connection.js';

export interface OrderRow {
  readonly site_id: number;
  readonly position: number;
  /** q: enqueued, h: held, r: running, e: ended. */
  readonly state: 'q' | 'h' | 'r' | 'e';
  readonly concurrent: boolean;
  readonly batchable: boolean;
  readonly suspect: boolean;
  readonly dispatch: number;
  readonly dispatched_at: Date;
}

export async function placeOf(db: Db, jobId: string): Promise<OrderRow> {
  const row: OrderRow | undefined = await db('job_order').where({ job_id: jobId }).first();
  if (row === undefined) throw new Error(`job ${jobId} has no place in the order`);
  return row;
}
