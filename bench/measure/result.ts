/** Makes a result of measured runs. */
import type { Aim, BenchmarkOptions, BenchmarkResult } from '../benchmark.js';
import type { Alternated } from './alternate.js';
import { median } from './statistics.js';

export interface Measured extends Alternated {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  readonly aim: Aim | null;
  /** By process, in MB. */
  readonly peaks: Readonly<Record<string, number>>;
}

export function resultOf({ backend }: BenchmarkOptions, measured: Measured): BenchmarkResult {
  const { name, what, unit, aim, peaks, figures, references } = measured;
  const figure = median(figures);
  const reference = references.length === 0 ? null : median(references);
  const ratio = reference === null ? null : figure / reference;
  const ours = Object.entries(peaks).flatMap(([process, peak]) => (process === 'postgres' ? [] : [peak]));
  return {
    ...{ name, backend, what, figure, unit, reference, ratio, aim },
    met: aim === null ? null : isMet(aim, ratio ?? figure),
    peakRssMb: ours.length === 0 ? null : Math.max(...ours),
    ...{ peaks, figures, references },
  };
}

export function isMet({ value, is }: Aim, reached: number): boolean {
  return is === 'at least' ? reached >= value : reached <= value;
}
