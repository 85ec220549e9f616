/** The memory row of the table: the most that any process of ours took in any of the benchmarks that ran. */
import type { Backend } from '../backend.js';
import type { Aim, BenchmarkResult } from '../benchmark.js';
import { isMet } from './result.js';

const AIM: Aim = { value: 220, is: 'at most' };

/** @param results of one backend @returns a row a kind of process; none when nothing ran */
export function memoryResults(backend: Backend, results: readonly BenchmarkResult[]): BenchmarkResult[] {
  return ['worker', 'web'].flatMap((process) => {
    const seen = results.flatMap(({ name, peaks }) =>
      peaks[process] === undefined ? [] : [{ name, peak: peaks[process] }],
    );
    const [greatest] = [...seen].sort((a, b) => b.peak - a.peak);
    if (greatest === undefined) return [];
    const aim = process === 'worker' ? AIM : null;
    return [
      {
        name: 'memory',
        backend,
        what: `${process}, the most of all, in ${greatest.name}`,
        figure: greatest.peak,
        unit: 'MB',
        reference: null,
        ratio: null,
        aim,
        met: aim === null ? null : isMet(aim, greatest.peak),
        peakRssMb: greatest.peak,
        peaks: { [process]: greatest.peak },
        figures: [greatest.peak],
        references: [],
      },
    ];
  });
}
