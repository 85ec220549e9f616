/** The chunks of a job that have failed rows, with these rows and their problems. */

import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import { JobChunk } from '../../../../db/models/job-chunk.js';
import type { JobError } from '../../../../db/models/job-error.js';
import type { FileStore } from '../../../platform/file-store.js';
import { addTo } from '../../kernel/grouped-by.js';
import type { RowCode, RowProblem } from '../../kernel/row-problem.js';
import type { ImportJob } from '../model/import-jobs.js';
import { inputKey, readChunk } from '../pipeline/read-chunk.js';
import type { InputPlan } from '../rows/input-plan.js';

/** The codes of superseded rows. */
const SUPERSEDED: readonly RowCode[] = ['SKU_DUPLICATE_IN_REQUEST', 'NAME_DUPLICATE_IN_REQUEST'];

/**
 * The problems whose rows are in the error file. Superseded rows are left out, because if they were sent again they
 * would overwrite the winning row, unless that row failed: then all rows with the key are there.
 */
export function inErrorFile(db: Db, jobId: string): Knex.QueryBuilder {
  return db('job_error')
    .where({ job_id: jobId })
    .where((or) =>
      or
        .whereNotIn('code', SUPERSEDED)
        .orWhereExists(
          db('job_error AS winner')
            .where('winner.job_id', jobId)
            .whereRaw('winner.row_no = job_error.winning_row AND winner.seq = 0'),
        ),
    );
}

interface FailedChunk {
  readonly bytes: Buffer;
  readonly firstRow: number;
  readonly failed: ReadonlyMap<number, readonly RowProblem[]>;
}

export async function* failedChunks(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  plan: InputPlan,
): AsyncGenerator<FailedChunk> {
  const key = await inputKey(db, job, plan);
  for await (const { chunk, failed } of failedByChunk(db, job.id)) {
    yield { bytes: await readChunk(fileStore, key, chunk), firstRow: chunk.first_row, failed };
  }
}

/** The failed rows of each chunk that has some, in order. */
export async function* failedByChunk(
  db: Db,
  jobId: string,
): AsyncGenerator<{
  readonly chunk: Pick<JobChunk, 'first_row' | 'byte_start' | 'byte_end'>;
  readonly failed: FailedChunk['failed'];
}> {
  const chunks = await JobChunk.query(db)
    .where({ job_id: jobId })
    .select('idx', 'first_row', 'byte_start', 'byte_end', 'error_count')
    .orderBy('idx');
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.error_count === 0) continue;
    const beyond = chunks[index + 1]?.first_row ?? Number.MAX_SAFE_INTEGER;
    const failed = await loadFailed(db, jobId, chunk.first_row, beyond);
    if (failed.size > 0) yield { chunk, failed };
  }
}

async function loadFailed(db: Db, jobId: string, from: number, beyond: number): Promise<Map<number, RowProblem[]>> {
  const rows: Pick<JobError, 'row_no' | 'col' | 'code' | 'message' | 'value'>[] = await inErrorFile(db, jobId)
    .where('row_no', '>=', from)
    .where('row_no', '<', Math.min(beyond, 2_147_483_647))
    .orderBy(['row_no', 'seq'])
    .select('row_no', 'col', 'code', 'message', 'value');
  const failed = new Map<number, RowProblem[]>();
  for (const { row_no: row, col, code, message, value } of rows) {
    const own = { code: code as RowCode, column: col, message };
    addTo(failed, row, value === null ? own : { ...own, value });
  }
  return failed;
}
