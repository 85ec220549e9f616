/** Reads the rows of a chunk. */
import type { Db } from '../../../../db/connection.js';
import { File } from '../../../../db/models/file.js';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import { csvRows } from '../../formats/csv/parse-csv-chunk.js';
import { jsonRows } from '../../formats/json/json-rows.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { spoolKey } from '../model/spool-key.js';
import type { InputPlan } from '../rows/input-plan.js';
import type { AppliedBefore, SourceRows } from '../rows/row-applier.js';

/** Deferred rows are not looked up again, and a site that was empty has no unchanged rows. */
export function appliedBefore(
  db: Db,
  { wave, duplicates }: Pick<JobChunk, 'wave' | 'duplicates'>,
  { siteWasEmpty }: Pick<InputPlan, 'siteWasEmpty'>,
): AppliedBefore | undefined {
  return wave === 0 && !siteWasEmpty ? { db, duplicates: new Map(duplicates ?? []) } : undefined;
}

/** The key in the file store of what the chunks of a job are parts of. */
export async function inputKey(
  db: Db,
  job: Pick<LoadedJob, 'id' | 'input_file_id'>,
  { source }: InputPlan,
): Promise<string> {
  if (source === 'spool') return spoolKey(job.id);
  const file = await File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
  return file.storage_key ?? '';
}

/** The bytes of a chunk. @param key as inputKey returns it */
export function readChunk(
  fileStore: FileStore,
  key: string,
  { byte_start: start, byte_end: end }: Pick<JobChunk, 'byte_start' | 'byte_end'>,
): Promise<Buffer> {
  return fileStore.readRange(key, start ?? 0, end ?? 0);
}

/** The rows of a chunk, as they are in the input; each is parsed when the iterator reaches it. */
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
