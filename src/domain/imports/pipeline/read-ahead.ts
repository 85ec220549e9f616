/** Reads the chunks of a job in order, each while the previous one is being applied: at most two are in memory. */
import type { Knex } from 'knex';
import { besides } from '../../../../db/besides.js';
import type { Db } from '../../../../db/connection.js';
import { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { InputPlan } from '../rows/input-plan.js';
import type { RowApplier, RowReaderName } from '../rows/row-applier.js';
import { type ChunkSource, readChunkAndSource } from './chunk-source.js';
import { appliedBefore, parseChunk } from './read-chunk.js';

/** Where the chunks are, and what reads them. */
export interface ChunksToRead {
  readonly db: Db;
  readonly fileStore: FileStore;
  /** Of the input, in the file store. */
  readonly key: string;
  readonly job: ImportJob;
  readonly plan: InputPlan;
  readonly applier: RowApplier;
  readonly reader: RowReaderName;
}

interface ReadChunk {
  readonly chunk: JobChunk;
  /** What the applier has read from its rows. */
  readonly read: unknown;
  /** What its rows were made of. */
  readonly source: ChunkSource | null;
}

/** @param idxs the indexes of the chunks, in the order in which to read them */
export async function* readAhead(
  trx: Knex.Transaction,
  source: ChunksToRead,
  idxs: readonly number[],
): AsyncGenerator<ReadChunk> {
  const begin = (at: number): Promise<ReadChunk> | undefined => {
    const idx = idxs[at];
    if (idx === undefined) return undefined;
    const reading = readOne(trx, source, idx);
    // A caller that stops early never awaits this promise; without a handler its rejection would end the process.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead = begin(0);
  try {
    for (let at = 1; ahead !== undefined; at++) {
      const ready = await ahead;
      ahead = begin(at);
      yield ready;
    }
  } finally {
    // No statement of it comes after the end of the transaction.
    await ahead?.catch(() => undefined);
  }
}

/**
 * What is recorded about the chunk is read where it was written, beside the transaction, which leaves the tables of jobs
 * to others until its end. Items are read in the transaction, which holds their table: nobody can lock it in between.
 */
async function readOne(
  trx: Knex.Transaction,
  { db, fileStore, key, job, plan, applier, reader }: ChunksToRead,
  idx: number,
): Promise<ReadChunk> {
  const chunk = await besides(db, async (other) => JobChunk.query(other).findById([job.id, idx]).throwIfNotFound());
  const { bytes, source } = await readChunkAndSource(fileStore, key, chunk, plan);
  const rows = parseChunk(bytes, chunk, plan);
  return { chunk, read: await applier.read(rows, { reader, before: appliedBefore(trx, chunk, plan) }), source };
}
