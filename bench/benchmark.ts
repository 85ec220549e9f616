/** What a benchmark is: something run on real processes, that says what it found beside what it is measured against. */

import type { Backend } from './backend.js';
import type { WorldOptions } from './world/with-world.js';

export interface BenchmarkOptions extends WorldOptions {
  /** Fewer and smaller runs. */
  readonly quick: boolean;
  /** Undefined: as many as the benchmark is meant to have. */
  readonly rows: number | undefined;
  /** How often each side is measured; undefined: as often as the benchmark is meant to. */
  readonly runs: number | undefined;
}

/** What the ratio, or without a reference the figure, should come to. */
export interface Aim {
  readonly value: number;
  readonly is: 'at least' | 'at most';
}

export function atLeast(value: number): Aim {
  return { value, is: 'at least' };
}

export function atMost(value: number): Aim {
  return { value, is: 'at most' };
}

export interface BenchmarkResult {
  readonly name: string;
  readonly backend: Backend;
  /** What was measured, in words: "200,000 rows". */
  readonly what: string;
  /** Median of `figures`. */
  readonly figure: number;
  readonly unit: string;
  /** Median of `references`; null: there is nothing to compare it with. */
  readonly reference: number | null;
  /** figure / reference. */
  readonly ratio: number | null;
  readonly aim: Aim | null;
  readonly met: boolean | null;
  /** The greatest of `peaks` but Postgres', in MB of 1,000,000 bytes. */
  readonly peakRssMb: number | null;
  /** By process, in MB. */
  readonly peaks: Readonly<Record<string, number>>;
  /** Every measured run, in the order in which they ran. */
  readonly figures: readonly number[];
  readonly references: readonly number[];
}

export interface Benchmark {
  readonly name: string;
  /** Names of further figures that come of the same run; `--only` accepts them too. */
  readonly alsoNamed?: readonly string[];
  run(options: BenchmarkOptions): Promise<BenchmarkResult[]>;
}
