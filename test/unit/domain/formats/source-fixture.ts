/** An upload in memory: what planSource asks of its caller, with blocks of any size. */
import { Readable, Writable } from 'node:stream';
import { type CsvRow, parseCsvChunk } from '../../../../src/domain/formats/csv/parse-csv-chunk.js';
import { type JsonRow, jsonRows as rowsOfChunk } from '../../../../src/domain/formats/json/json-rows.js';
import type { SourceInput } from '../../../../src/domain/formats/model/source-input.js';
import type { SourceLimits } from '../../../../src/domain/formats/model/source-limits.js';
import { DEFAULT_LIMITS } from '../../../../src/domain/formats/model/source-limits.js';
import type { SourcePlan } from '../../../../src/domain/formats/model/source-plan.js';
import { TEXT_COLUMN } from '../../../../src/domain/formats/model/workbook-column.js';
import { planSource } from '../../../../src/domain/formats/plan-source.js';
import type { ScratchFile } from '../../../../src/platform/file-store.js';

export interface FixtureOptions extends Partial<Omit<SourceInput, 'limits'>> {
  readonly limits?: Partial<SourceLimits>;
  /** Bytes of each block that the upload and the spool are read in. */
  readonly blockBytes?: number;
}

export interface Planned {
  readonly plan: SourcePlan;
  /** The bytes that the chunks' ranges refer to. */
  readonly body: Buffer;
}

/** A stream of the bytes in blocks. */
export function inBlocks(bytes: Buffer, blockBytes: number): Readable {
  function* blocks(): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += blockBytes) yield bytes.subarray(at, at + blockBytes);
  }
  return Readable.from(blocks());
}

/** Bytes held in memory. Unless told otherwise the file is a CSV file and its first column the key. */
export function sourceInput(bytes: Buffer, options: FixtureOptions = {}, spooled: Buffer[] = []): SourceInput {
  const blockBytes = options.blockBytes ?? 64 * 1024;
  return {
    openUpload: async () => inBlocks(bytes, blockBytes),
    openRanges: async () => ({ size: bytes.length, readRange: async (start, end) => bytes.subarray(start, end) }),
    createScratch: async () => scratchInMemory(),
    workbookColumns: (header) => header.map(() => TEXT_COLUMN),
    createSpool: async () => collect(spooled),
    openSpool: async () => inBlocks(Buffer.concat(spooled), blockBytes),
    format: 'CSV',
    gzip: false,
    options: {},
    resolveHeader: () => 0,
    keyOf: skuOf,
    keyField: 'sku',
    winner: 'last',
    normaliseKey: (key) => key.trim().normalize('NFC'),
    signal: new AbortController().signal,
    ...options,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
  };
}

/** Plans bytes held in memory. */
export async function plan(upload: Buffer | string, options: FixtureOptions = {}): Promise<Planned> {
  const bytes = Buffer.from(upload);
  const spooled: Buffer[] = [];
  const found = await planSource(sourceInput(bytes, options, spooled));
  return { plan: found, body: found.source === 'upload' ? bytes : Buffer.concat(spooled) };
}

/** Every row of a planned CSV body, chunk by chunk. */
export function csvRows({ plan: { chunks, delimiter, headerCells }, body }: Planned): CsvRow[] {
  return chunks.flatMap((chunk) =>
    parseCsvChunk(body.subarray(chunk.byteStart, chunk.byteEnd), {
      delimiter: delimiter ?? '',
      columns: headerCells?.length ?? 0,
      firstRow: chunk.firstRow,
    }),
  );
}

/** Every row of a planned JSONL body, chunk by chunk. */
export function jsonRows({ plan: { chunks }, body }: Planned): JsonRow[] {
  return chunks.flatMap((chunk) => [
    ...rowsOfChunk(body.subarray(chunk.byteStart, chunk.byteEnd), { firstRow: chunk.firstRow }),
  ]);
}

/** All losers: [row, standing row]. */
export function duplicates({ plan: { chunks } }: Planned): [number, number][] {
  return chunks.flatMap((chunk) => chunk.duplicates);
}

function skuOf(element: unknown): string | null {
  const sku = typeof element === 'object' && element !== null && 'sku' in element ? element.sku : null;
  return typeof sku === 'string' ? sku : null;
}

function scratchInMemory(): ScratchFile {
  let held: Buffer = Buffer.alloc(0);
  return {
    get size() {
      return held.length;
    },
    append: (bytes) => {
      held = Buffer.concat([held, bytes]);
    },
    read: (start, end) => held.subarray(start, end),
    close: () => undefined,
  };
}

function collect(into: Buffer[]): Writable {
  return new Writable({
    highWaterMark: 1024,
    write: (block: Buffer, _encoding, done) => {
      into.push(Buffer.from(block));
      setImmediate(done);
    },
  });
}
