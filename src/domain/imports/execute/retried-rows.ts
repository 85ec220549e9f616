/**
 * The rows of a retry: a copy is written in which all other rows are blank lines, so that the rows keep their
 * numbers.
 */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Job } from '../../../../db/models/job.js';
import { JobChunk } from '../../../../db/models/job-chunk.js';
import { storeFile } from '../../../platform/store-file.js';
import { csvRecords } from '../../formats/csv/parse-csv-chunk.js';
import { jsonRecords } from '../../formats/json/json-rows.js';
import type { ChunkPlan, SourcePlan } from '../../formats/model/source-plan.js';
import { parseJob } from '../../job-model/job-type.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import { IMPORT_JOBS, type ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { spoolKey } from '../model/spool-key.js';
import { readBlock } from '../pipeline/chunk-source.js';
import { inputKey, readChunk } from '../pipeline/read-chunk.js';
import type { FileJobServices, FilePlan } from './file-plan.js';

const BLANK_LINE = Buffer.from('\n');
const NO_BLOCK = Buffer.alloc(0);

/**
 * The plan with the rows of a retry only; unchanged when all rows of the file are to be executed.
 * @param key where the bytes are that the plan refers to
 */
export async function chooseRetriedRows(
  services: FileJobServices,
  job: ImportJob,
  plan: FilePlan,
  key: string,
): Promise<FilePlan> {
  const { retry: { only, of } = {} }: Partial<ImportOptions> = job.options;
  if (only === undefined || of === undefined) return plan;
  const { fileStore } = services;
  const wanted = await rowsWithOutcome(services, of, only);
  const chosen: ChunkPlan[] = [];
  async function* copied(): AsyncGenerator<Buffer> {
    let written = 0;
    for (const chunk of plan.chunks) {
      const bytes = await fileStore.readRange(key, chunk.byteStart, chunk.byteEnd);
      const pieces: Buffer[] = [];
      let rowCount = 0;
      for (const { start, end, row, isBlank } of recordsOf(bytes, plan, chunk.firstRow)) {
        const isChosen = !isBlank && wanted[row] === 1;
        if (isChosen) rowCount++;
        pieces.push(isChosen ? bytes.subarray(start, end) : BLANK_LINE);
      }
      if (rowCount === 0) continue;
      const copy = Buffer.concat(pieces);
      const block = plan.originals === undefined ? NO_BLOCK : await readBlock(fileStore, key, chunk.byteEnd);
      const duplicates = chunk.duplicates.filter(([row]) => wanted[row] === 1);
      chosen.push({ ...chunk, byteStart: written, byteEnd: written + copy.length, rowCount, duplicates });
      written += copy.length + block.length;
      yield copy;
      yield block;
    }
  }
  await storeFile(fileStore, spoolKey(job.id), (stream) => pipeline(Readable.from(copied()), stream));
  const totalRows = chosen.reduce((sum, { rowCount }) => sum + rowCount, 0);
  return { ...plan, source: 'spool', chunks: chosen, totalRows };
}

function recordsOf(
  bytes: Buffer,
  { bodyFormat, delimiter }: Pick<SourcePlan, 'bodyFormat' | 'delimiter'>,
  firstRow: number,
) {
  return bodyFormat === 'CSV' ? csvRecords(bytes, delimiter ?? ',', firstRow) : jsonRecords(bytes, firstRow);
}

/** 1 at the number of each row of a file whose outcome in an earlier job was one of these letters. */
async function rowsWithOutcome(
  { db, fileStore }: FileJobServices,
  jobId: string,
  letters: string,
): Promise<Uint8Array> {
  const row = await Job.query(db).findById(jobId);
  const job = row === undefined ? undefined : parseJob(IMPORT_JOBS, row);
  if (job === undefined || job.plan === null) throw new Error(`job ${jobId} is not kept, so its rows are not known`);
  const { plan } = job;
  const wanted = new Uint8Array(plan.lastRow + 1);
  const chunks = await JobChunk.query(db).where({ job_id: jobId }).orderBy('idx');
  for (const chunk of chunks) {
    const outcomes = chunk.outcomes ?? OUTCOME.deferred.repeat(chunk.row_count);
    const bytes = await readChunk(fileStore, await inputKey(db, job, plan), chunk);
    let position = 0;
    for (const { row: number, isBlank } of recordsOf(bytes, plan, chunk.first_row)) {
      if (!isBlank && letters.includes(outcomes[position++] ?? '')) wanted[number] = 1;
    }
    if (position !== outcomes.length)
      throw new Error(`job ${jobId} has ${outcomes.length} rows in chunk ${chunk.idx}, not ${position}`);
  }
  return wanted;
}
