/**
 * Reads what a chunk of a file with a profile was made of, so that its problems can quote it. The step that applies the
 * chunk reads it before its transaction, which must not wait for the store.
 */
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import { csvRecords } from '../../formats/csv/parse-csv-chunk.js';
import { BLOCK_HEAD_BYTES, restOfBlock, rowsOfBlock } from '../../formats/mapped/source-block.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import { OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { InputPlan } from '../rows/input-plan.js';
import { readChunk } from './read-chunk.js';

type Chunk = Pick<JobChunk, 'byte_start' | 'byte_end' | 'first_row'>;

export interface ChunkSource {
  /** The number of the first line. */
  readonly firstRow: number;
  /** The lines of the copy. */
  readonly lines: Buffer;
  /** The rows of the source that they were made of. */
  readonly originals: () => Iterable<{ readonly row: number; readonly bytes: Buffer }>;
}

/** The bytes of a chunk, and what they were made of. */
interface ReadChunk {
  readonly bytes: Buffer;
  /** Null: no profile has made them. */
  readonly source: ChunkSource | null;
}

const BLANK_LINE = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);

/** @param key as inputKey returns it */
export async function readChunkAndSource(
  fileStore: FileStore,
  key: string,
  chunk: Chunk,
  { originals }: InputPlan,
): Promise<ReadChunk> {
  if (originals === undefined) return { bytes: await readChunk(fileStore, key, chunk), source: null };
  const { byte_start: start, byte_end: end } = chunk;
  // The beginning of the block, which says how long it is, comes with the lines before it.
  const read = await readChunk(fileStore, key, { byte_start: start, byte_end: (end ?? 0) + BLOCK_HEAD_BYTES });
  const bytes = read.subarray(0, read.length - BLOCK_HEAD_BYTES);
  const from = (end ?? 0) + BLOCK_HEAD_BYTES;
  const rest = restOfBlock(read.subarray(bytes.length));
  const rows = rest === 0 ? NOTHING : await fileStore.readRange(key, from, from + rest);
  return { bytes, source: { firstRow: chunk.first_row, lines: bytes, originals: () => rowsOfBlock(rows) } };
}

/** The rows of the source that the copy has behind those of a chunk. @param at where these end */
export async function readBlock(fileStore: FileStore, key: string, at: number): Promise<Buffer> {
  const head = await fileStore.readRange(key, at, at + BLOCK_HEAD_BYTES);
  const rest = restOfBlock(head);
  return rest === 0 ? head : fileStore.readRange(key, at, at + BLOCK_HEAD_BYTES + rest);
}

/** The source of the rows that wait for a later pass, without the memory of the others. @param outcomes one letter a row */
export function sourceOfWaiting(source: ChunkSource | null, outcomes: string): ChunkSource | null {
  if (source === null) return null;
  const waiting = new Set<number>();
  const lines: Buffer[] = [];
  let position = 0;
  for (const { start, end, row, isBlank } of csvRecords(source.lines, WORKBOOK_DELIMITER, source.firstRow)) {
    const waits = !isBlank && outcomes[position++] === OUTCOME.deferred;
    if (waits) waiting.add(row);
    lines.push(waits ? source.lines.subarray(start, end) : BLANK_LINE);
  }
  const kept: { readonly row: number; readonly bytes: Buffer }[] = [];
  for (const { row, bytes } of source.originals()) if (waiting.has(row)) kept.push({ row, bytes: Buffer.from(bytes) });
  return { firstRow: source.firstRow, lines: Buffer.concat(lines), originals: () => kept };
}
