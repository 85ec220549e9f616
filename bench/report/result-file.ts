/** The results as a file for other programs: `{machine, results:[{name, backend, figure, unit, reference, ratio, aim, …}]}`. */
import { writeFileSync } from 'node:fs';
import type { BenchmarkResult } from '../benchmark.js';
import type { Machine } from './machine.js';

export function writeResults(path: string, machine: Machine, results: readonly BenchmarkResult[]): void {
  writeFileSync(path, `${JSON.stringify({ machine, results: results.map(presentResult) }, null, 2)}\n`);
}

/**
 * `aim` as a number; `aimIs` says on which side of it the ratio, or without a reference the figure, should lie.
 * @internal exported for tests
 */
export function presentResult({ aim, ...result }: BenchmarkResult): object {
  return { ...result, aim: aim?.value ?? null, aimIs: aim?.is ?? null };
}
