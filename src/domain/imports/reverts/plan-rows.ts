/** Rows that are made when the turn of their job has come, and written to its file: a line each, cut into chunks. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { storeFile } from '../../../platform/store-file.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import type { ChunkPlan } from '../../formats/model/source-plan.js';
import { LF } from '../../kernel/characters.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import { uploadOf } from '../execute/read-source.js';
import type { ImportJob } from '../model/import-jobs.js';
import { jsonLinesOf } from '../rows/json-lines-of.js';
import { type DefinitionRow, KIND_AT, KIND_OF_DEFINITION } from './definition-row.js';
import type { RevertRow } from './revert-row.js';

type MadeRows = (trx: Knex.Transaction) => AsyncIterable<RevertRow | DefinitionRow>;

/**
 * Finds the chunks of the rows. A retry has the rows of the job that it repeats, whose file it has got.
 * @throws the signal's reason when it is aborted
 */
export async function planRows(
  services: FileJobServices,
  job: ImportJob,
  signal: AbortSignal,
  rowsOf: MadeRows,
): Promise<FilePlan> {
  const { db, fileStore, chunkRows } = services;
  const { storage_key: key } = await uploadOf(db, job);
  if (key === null) throw new Error(`the file of job ${job.id} has no key`);
  if ((await fileStore.size(key)) === null) await writeRows(services, key, signal, rowsOf);
  const chunks: ChunkPlan[] = [];
  for await (const chunk of chunksOf(await fileStore.read(key), chunkRows)) {
    signal.throwIfAborted();
    chunks.push(chunk);
  }
  const totalRows = chunks.reduce((sum, { rowCount }) => sum + rowCount, 0);
  return {
    source: 'upload',
    bodyFormat: 'JSONL',
    delimiter: null,
    headerCells: null,
    keyColumn: -1,
    totalRows,
    chunks,
  };
}

async function writeRows(
  { db, fileStore }: FileJobServices,
  key: string,
  signal: AbortSignal,
  rowsOf: MadeRows,
): Promise<void> {
  await storeFile(fileStore, key, (stream) =>
    db.transaction((trx) => pipeline(Readable.from(jsonLinesOf(rowsOf(trx))), stream, { signal })),
  );
}

/** The most rows of definitions in a chunk: more than there are attributes, whose names may have been swapped. */
const DEFINITION_ROWS = 5_000;

/** Cuts lines into chunks, each of items or of definitions. */
async function* chunksOf(bytes: AsyncIterable<Buffer>, chunkRows: number): AsyncGenerator<ChunkPlan> {
  let [rowCount, firstRow, byteStart, at] = [0, 1, 0, 0];
  let [isOfDefinitions, isNext, offset, lineStart] = [false, false, 0, 0];
  const chunk = (): ChunkPlan => ({ byteStart, byteEnd: at, firstRow, rowCount, lineCount: rowCount, duplicates: [] });
  const begin = () => {
    firstRow += rowCount;
    byteStart = at;
    rowCount = 0;
  };
  for await (const piece of bytes) {
    let searched = 0;
    for (;;) {
      const end = piece.indexOf(LF, searched);
      const kindAt = lineStart + KIND_AT - offset;
      if (kindAt >= 0 && kindAt < piece.length) isNext = piece[kindAt] === KIND_OF_DEFINITION;
      if (end < 0) break;
      if (rowCount > 0 && isNext !== isOfDefinitions) {
        yield chunk();
        begin();
      }
      isOfDefinitions = isNext;
      at = offset + end + 1;
      lineStart = at;
      searched = end + 1;
      rowCount++;
      const mostRows = isOfDefinitions ? DEFINITION_ROWS : chunkRows;
      if (rowCount < mostRows && at - byteStart < DEFAULT_LIMITS.chunkBytes) continue;
      yield chunk();
      begin();
    }
    offset += piece.length;
  }
  if (rowCount > 0) yield chunk();
}
