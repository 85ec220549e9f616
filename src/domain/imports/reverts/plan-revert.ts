/** The rows of a revert: they are made of the change log when its turn has come, and written to the file of the job. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { definitionChangesBy, lastItemSet } from '../../changes/changes-by-definition.js';
import { changesByItem } from '../../changes/changes-by-item.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import type { ChunkPlan } from '../../formats/model/source-plan.js';
import { LF } from '../../kernel/characters.js';
import type { FileJobServices, FilePlan } from '../execute/file-plan.js';
import { uploadOf } from '../execute/read-source.js';
import type { ImportJob } from '../model/import-jobs.js';
import { type DefinitionRow, KIND_AT, KIND_OF_DEFINITION } from './definition-row.js';
import { foldChanges } from './fold-changes.js';
import { foldDefinitions } from './fold-definitions.js';
import { definitionLabels } from './label-definitions.js';
import type { RevertRow } from './revert-row.js';

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
  { site_id: siteId, options }: RevertJob,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const pending = await fileStore.create(key);
  try {
    await db.transaction((trx) =>
      pipeline(Readable.from(linesOf(trx, siteId, options.revertOf)), pending.stream, { signal }),
    );
    await pending.commit();
  } catch (error) {
    await pending.discard();
    throw error;
  }
}

/** How many characters are written at once. */
const PIECE_CHARACTERS = 64 * 1024;

async function* linesOf(trx: Knex.Transaction, siteId: number, jobIds: readonly string[]): AsyncGenerator<string> {
  let piece = '';
  for await (const row of rowsOf(trx, siteId, jobIds)) {
    piece += `${JSON.stringify(row)}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

async function* rowsOf(
  trx: Knex.Transaction,
  siteId: number,
  jobIds: readonly string[],
): AsyncGenerator<RevertRow | DefinitionRow> {
  const changes = await definitionChangesBy(trx, jobIds);
  const labelOf = changes.length === 0 ? () => '' : await definitionLabels(trx, siteId, changes);
  const { beforeItems, afterItems } = foldDefinitions(changes, await lastItemSet(trx, jobIds), labelOf);
  yield* beforeItems;
  yield* foldChanges(changesByItem(trx, jobIds));
  yield* afterItems;
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
