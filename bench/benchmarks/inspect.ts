/** Inspections: how often they are right, and how long they take beside an import of the same file. */
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { scoreInspections } from './inspect/score-inspections.js';
import { scorePollution } from './inspect/score-pollution.js';
import { timeInspections } from './inspect/time-inspections.js';

export const inspect: Benchmark = {
  name: 'inspect',
  run: async (options): Promise<BenchmarkResult[]> => [
    ...(await timeInspections(options)),
    ...(await scoreInspections(options)),
    ...(await scorePollution(options)),
  ],
};
