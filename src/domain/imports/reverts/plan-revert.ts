/** The rows of a revert: they are made of the change log when its turn has come, and written to the file of the job. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { changesByItem } from '../../changes/changes-by-item.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import type { ChunkPlan } from '../../formats/model/source-plan.js';
import { LF } from '../../kernel/characters.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import { uploadOf } from '../execute/read-source.js';
import type { ImportJob } from '../model/import-jobs.js';
import { foldChanges } from './fold-changes.js';

type RevertJob = Extract<ImportJob, { readonly kind: 'revert' }>;

/**
 * Finds the chunks of a revert. A retry has the rows of the job that it repeats, whose file it has got.
 * @throws RejectedInput when the changes are no longer kept; the signal's reason when it is aborted
 */
export async function planRevert(services: FileJobServices, job: RevertJob, signal: AbortSignal): Promise<FilePlan> {
  const { db, fileStore, chunkRows } = services;
  const { storage_key: key } = await uploadOf(db, job);
  if (key === null) throw new Error(`the file of the revert ${job.id} has no key`);
  if ((await fileStore.size(key)) === null) await writeRows(services, job, key, signal);
  const chunks: ChunkPlan[] = [];
  for await (const chunk of chunksOf(await fileStore.read(key), chunkRows)) {
    signal.throwIfAborted();
    chunks.push(chunk);
  }
  const totalRows = chunks.reduce((sum, { rowCount }) => sum + rowCount, 0);
  if (totalRows === 0) throw new RejectedInput('CHANGES_GONE', 'the changes of the job are no longer kept');
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
  { options }: RevertJob,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const pending = await fileStore.create(key);
  try {
    await db.transaction((trx) => pipeline(Readable.from(linesOf(trx, options.revertOf)), pending.stream, { signal }));
    await pending.commit();
  } catch (error) {
    await pending.discard();
    throw error;
  }
}

/** How many characters are written at once. */
const PIECE_CHARACTERS = 64 * 1024;

async function* linesOf(trx: Knex.Transaction, jobIds: readonly string[]): AsyncGenerator<string> {
  let piece = '';
  for await (const row of foldChanges(changesByItem(trx, jobIds))) {
    piece += `${JSON.stringify(row)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Cuts lines into chunks. */
async function* chunksOf(bytes: AsyncIterable<Buffer>, chunkRows: number): AsyncGenerator<ChunkPlan> {
  let [rowCount, firstRow, byteStart, at] = [0, 1, 0, 0];
  const chunk = (): ChunkPlan => ({ byteStart, byteEnd: at, firstRow, rowCount, lineCount: rowCount, duplicates: [] });
  for await (const piece of bytes) {
    const offset = at;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, end + 1)) {
      at = offset + end + 1;
      rowCount++;
      if (rowCount < chunkRows && at - byteStart < DEFAULT_LIMITS.chunkBytes) continue;
      yield chunk();
      firstRow += rowCount;
      byteStart = at;
      rowCount = 0;
    }
    at = offset + piece.length;
  }
  if (rowCount > 0) yield chunk();
}
