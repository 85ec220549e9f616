/** A program that plans one workbook, as a worker does, and tells what came of it and how much memory that took. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { RejectedInput } from '../../../src/domain/formats/model/rejected-input.js';
import { DEFAULT_LIMITS } from '../../../src/domain/formats/model/source-limits.js';
import { TEXT_COLUMN } from '../../../src/domain/formats/model/workbook-column.js';
import { planSource } from '../../../src/domain/formats/plan-source.js';
import { createLocalFileStore } from '../../../src/platform/local-file-store.js';
import { keepHeapSmall } from '../../../src/platform/small-heap.js';
import { peakMemoryMB } from './processes.js';

keepHeapSmall();
const path = process.argv[2] ?? '';
const store = createLocalFileStore(dirname(path));
const folder = await mkdtemp(join(tmpdir(), 'longshore-plan-'));
const spool = join(folder, 'spool');
const { size } = await stat(path);

async function outcome(): Promise<{ rows: number } | { reason: string }> {
  try {
    const plan = await planSource({
      openUpload: async () => createReadStream(path),
      openRanges: async () => ({ size, readRange: (start, end) => store.readRange(basename(path), start, end) }),
      createScratch: () => store.createScratch(),
      createSpool: async () => createWriteStream(spool),
      openSpool: async () => createReadStream(spool),
      format: 'XLSX',
      gzip: false,
      options: {},
      limits: DEFAULT_LIMITS,
      resolveHeader: () => 0,
      workbookColumns: (header) => header.map(() => TEXT_COLUMN),
      keyOf: () => null,
      keyField: null,
      winner: 'last',
      normaliseKey: (key) => key,
      signal: new AbortController().signal,
    });
    return { rows: plan.totalRows };
  } catch (error) {
    if (error instanceof RejectedInput) return { reason: error.reason };
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.stdout.write(JSON.stringify({ ...(await outcome()), peakMB: peakMemoryMB(process.pid) }));
