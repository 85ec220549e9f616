/** Reads the rows of a chunk as they stand in the input. */
import type { Db } from '../../../../db/connection.js';
import { File } from '../../../../db/models/file.js';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import { csvRows } from '../../formats/csv/parse-csv-chunk.js';
import { jsonRows } from '../../formats/json/plan-jsonl.js';
import type { LoadedJob } from '../../jobs/job-type.js';
import type { AppliedBefore, SourceRows } from './ingest-kind.js';
import { type InputPlan, spoolKey } from './input-plan.js';

/** Rows that waited for others are not looked for again, and in a site that was empty there are none. */
export function appliedBefore(
  db: Db,
  { wave, duplicates }: Pick<JobChunk, 'wave' | 'duplicates'>,
  { siteWasEmpty }: Pick<InputPlan, 'siteWasEmpty'>,
): AppliedBefore | undefined {
  return wave === 0 && !siteWasEmpty ? { db, duplicates: new Map(duplicates ?? []) } : undefined;
}

/** The bytes of a chunk. */
export async function readChunk(
  db: Db,
  fileStore: FileStore,
  job: Pick<LoadedJob, 'id' | 'input_file_id'>,
  chunk: Pick<JobChunk, 'byte_start' | 'byte_end'>,
  plan: InputPlan,
): Promise<Buffer> {
  const start = chunk.byte_start ?? 0;
  const end = chunk.byte_end ?? 0;
  if (plan.source === 'spool') return fileStore.readRange(spoolKey(job.id), start, end);
  const file = await File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
  return fileStore.readRange(file.storage_key ?? '', start, end);
}

/** The rows of a chunk as they stand in the input, each parsed when it is asked for. */
export function parseChunk(bytes: Buffer, chunk: Pick<JobChunk, 'first_row'>, plan: InputPlan): SourceRows {
  const firstRow = chunk.first_row;
  if (plan.bodyFormat === 'JSONL')
    return { format: 'JSON', rows: jsonRows(bytes, { firstRow }), source: { bytes, firstRow } };
  const headerCells = plan.headerCells ?? [];
  const delimiter = plan.delimiter ?? ',';
  return {
    format: 'CSV',
    rows: csvRows(bytes, { delimiter, columns: headerCells.length, firstRow, headerCells }),
    source: { bytes, delimiter, firstRow, headerCells },
  };
}
