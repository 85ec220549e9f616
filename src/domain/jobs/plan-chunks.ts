/** Records the chunks of a job. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../queues/outbox.js';
import type { LoadedJob } from '../job-model/job-type.js';
import type { ChunkPlan } from './chunks/chunk-plan.js';
import { openWindow } from './chunks/chunk-window.js';
import { enqueueStep } from './steps/enqueue-step.js';
import { NEW_STEP } from './steps/step-row.js';

/** Rows of job_chunk that one statement inserts. */
const CHUNKS_PER_STATEMENT = 1_000;

/** A chunk as the plan of a job found it. */
interface PlannedChunk {
  readonly firstRow: number;
  readonly rowCount: number;
  readonly byteStart: number;
  readonly byteEnd: number;
  /** Superseded rows, each with the winning row that has the same key. */
  readonly duplicates: readonly (readonly [row: number, winningRow: number])[];
}

interface PlannedRows {
  readonly chunks: readonly PlannedChunk[];
  readonly totalRows: number;
  /** The job's options, if the file has brought others than those it was accepted with. */
  readonly options?: object | undefined;
}

/**
 * Records the plan of a file's job, and its chunks. The caller's transaction has locked the job's row.
 * @returns what to enqueue: the first chunks, or for an atomic job the one step that applies all chunks
 */
export async function recordPlan(
  trx: Knex.Transaction,
  job: Pick<LoadedJob, 'id' | 'site_id' | 'isAtomic'>,
  plan: ChunkPlan,
  { chunks, totalRows, options }: PlannedRows,
): Promise<OutboxEntry[]> {
  const rows = chunks.map(({ firstRow, rowCount, byteStart, byteEnd, duplicates }, idx) => ({
    idx,
    first_row: firstRow,
    row_count: rowCount,
    byte_start: byteStart,
    byte_end: byteEnd,
    duplicates: duplicates.length === 0 ? null : duplicates,
  }));
  for (let start = 0; start < rows.length; start += CHUNKS_PER_STATEMENT) {
    await trx.raw(
      `INSERT INTO job_chunk (job_id, idx, first_row, row_count, byte_start, byte_end, duplicates)
       SELECT ?, idx, first_row, row_count, byte_start, byte_end, duplicates
       FROM jsonb_to_recordset(?::jsonb) AS chunk
         (idx integer, first_row integer, row_count integer, byte_start bigint, byte_end bigint, duplicates jsonb)`,
      [job.id, JSON.stringify(rows.slice(start, start + CHUNKS_PER_STATEMENT))],
    );
  }
  await trx('job')
    .where({ id: job.id })
    .update({
      plan: JSON.stringify(plan),
      ...(options === undefined ? {} : { options: JSON.stringify(options) }),
      total_count: totalRows,
      step: 'apply',
      ...NEW_STEP,
      dispatched_at: null,
      updated_at: trx.fn.now(),
    });
  return job.isAtomic
    ? [await enqueueStep(trx, job.id, 'apply-all')]
    : openWindow(trx, { ...job, ordered: plan.ordered });
}
