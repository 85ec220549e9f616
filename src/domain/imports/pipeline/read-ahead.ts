/** Reads the chunks of a job in order, each while the previous one is being applied: at most two are in memory. */
import type { Db } from '../../../../db/connection.js';
import { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import type { ImportJob } from '../import-jobs.js';
import type { InputPlan } from '../import-options.js';
import type { RowApplier, RowReaderName } from './row-applier.js';
import { appliedBefore, parseChunk, readChunk } from './row-applier.js';

/** Where the chunks are, and what reads them. */
export interface ChunkSource {
  readonly db: Db;
  readonly fileStore: FileStore;
  readonly job: ImportJob;
  readonly plan: InputPlan;
  readonly applier: RowApplier;
  readonly reader: RowReaderName;
}

interface ReadChunk {
  readonly chunk: JobChunk;
  /** What the applier has read from its rows. */
  readonly read: unknown;
}

/** @param idxs the indexes of the chunks, in the order in which to read them */
export async function* readAhead(source: ChunkSource, idxs: readonly number[]): AsyncGenerator<ReadChunk> {
  const begin = (at: number): Promise<ReadChunk> | undefined => {
    const idx = idxs[at];
    if (idx === undefined) return undefined;
    const reading = readOne(source, idx);
    // A caller that stops early never awaits this promise; without a handler its rejection would end the process.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead = begin(0);
  for (let at = 1; ahead !== undefined; at++) {
    const ready = await ahead;
    ahead = begin(at);
    yield ready;
  }
}

async function readOne({ db, fileStore, job, plan, applier, reader }: ChunkSource, idx: number): Promise<ReadChunk> {
  const chunk = await JobChunk.query(db).findById([job.id, idx]).throwIfNotFound();
  const rows = parseChunk(await readChunk(db, fileStore, job, chunk, plan), chunk, plan);
  return { chunk, read: await applier.read(rows, { reader, before: appliedBefore(db, chunk, plan) }) };
}
