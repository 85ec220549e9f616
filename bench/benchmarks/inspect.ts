/** Inspections: how often they are right about files whose answers are known, and how many rows they read in a second. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectSource } from '../../src/domain/inspection/inspect-source.js';
import { inspectionSchema } from '../../src/domain/inspection/model/inspection.js';
import { atLeast, type Benchmark, type BenchmarkResult } from '../benchmark.js';
import { LABELLED_FILES, labelledFile } from '../data/inspection/labelled-files.js';
import { type Scores, scoreFile, scoreLines } from '../data/inspection/score-labelled.js';
import { writeCsv } from '../data/write-rows.js';
import { resultOf } from '../measure/result.js';
import { bytesInput, fileInput } from '../world/file-input.js';

const DEFAULT_ROWS = 1_000_000;
const QUICK_ROWS = 100_000;
const DEFAULT_RUNS = 3;
/** A file is imported at this rate or less, so its inspection takes less time than its import. */
const IMPORT_RATE = 100_000;

export const inspect: Benchmark = {
  name: 'inspect',
  run: async (options): Promise<BenchmarkResult[]> => {
    const { quick, rows = quick ? QUICK_ROWS : DEFAULT_ROWS, runs = quick ? 1 : DEFAULT_RUNS, say } = options;
    for (const line of await scoreLabelled()) say(`inspect: ${line}`);
    const folder = await mkdtemp(join(tmpdir(), 'longshore-inspect-'));
    try {
      await writeCsv(join(folder, 'items.csv'), rows);
      const figures: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        const start = performance.now();
        const inspection = inspectionSchema.parse(await inspectSource(fileInput(folder, 'items.csv')));
        const seconds = (performance.now() - start) / 1000;
        if (inspection.rows !== rows) throw new Error(`${inspection.rows} rows were inspected, not ${rows}`);
        figures.push(rows / seconds);
        say(`inspect: ${Math.round(rows / seconds)} rows/s`);
      }
      const what = `${rows.toLocaleString('en')} rows`;
      return [
        resultOf(options, {
          name: 'inspect',
          what,
          unit: 'rows/s',
          aim: atLeast(IMPORT_RATE),
          peaks: {},
          figures,
          references: [],
        }),
      ];
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function scoreLabelled(): Promise<string[]> {
  const scores: Scores = new Map();
  for (let number = 0; number < LABELLED_FILES; number += 1) {
    const file = labelledFile(number);
    await scoreFile(scores, file, await inspectSource(bytesInput(file.bytes)));
  }
  return scoreLines(scores);
}
