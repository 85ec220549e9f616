import assert from 'node:assert/strict';
import type { BenchmarkOptions, BenchmarkResult } from '../../../bench/benchmark.js';
import { memoryResults } from '../../../bench/measure/memory-result.js';
import { type Measured, resultOf } from '../../../bench/measure/result.js';
import { presentResult } from '../../../bench/report/result-file.js';
import { formatTable, warningsOf } from '../../../bench/report/table.js';

const OPTIONS: BenchmarkOptions = {
  backend: 'pg',
  quick: false,
  rows: undefined,
  runs: undefined,
  profile: false,
  shared: undefined,
  say: () => undefined,
};

function measured(changes: Partial<Measured> = {}): BenchmarkResult {
  return resultOf(OPTIONS, {
    name: 'import-csv',
    what: '200,000 rows',
    unit: 'rows/s',
    aim: { value: 0.7, is: 'at least' },
    peaks: { web: 120, worker: 180, postgres: 400 },
    figures: [80_000, 70_000, 90_000],
    references: [100_000, 101_000, 99_000],
    ...changes,
  });
}

describe('results of benchmarks', () => {
  it('are the ratio of the medians', () => {
    const { figure, reference, ratio, met } = measured();
    assert.deepEqual({ figure, reference, ratio, met }, { figure: 80_000, reference: 100_000, ratio: 0.8, met: true });
  });

  it('miss an aim that is a least or a most', () => {
    assert.equal(measured({ aim: { value: 0.9, is: 'at least' } }).met, false);
    assert.equal(measured({ aim: { value: 0.5, is: 'at most' } }).met, false);
  });

  it('hold the figure itself to the aim where there is no reference', () => {
    const { ratio, met } = measured({ figures: [200], references: [], aim: { value: 220, is: 'at most' } });
    assert.deepEqual({ ratio, met }, { ratio: null, met: true });
  });

  it("count the memory of our own processes, and not the database's", () => {
    assert.equal(measured().peakRssMb, 180);
  });

  it('tell the greatest worker of all benchmarks, and hold it to its aim', () => {
    const rows = memoryResults('pg', [measured(), measured({ name: 'bulk-json', peaks: { worker: 260, web: 90 } })]);
    assert.deepEqual(
      rows.map(({ what, figure, met }) => ({ what, figure, met })),
      [
        { what: 'worker, the most of all, in bulk-json', figure: 260, met: false },
        { what: 'web, the most of all, in import-csv', figure: 120, met: null },
      ],
    );
  });

  it('are written with the aim as a number', () => {
    const { name, aim, aimIs, ratio } = presentResult(measured()) as Record<string, unknown>;
    assert.deepEqual({ name, aim, aimIs, ratio }, { name: 'import-csv', aim: 0.7, aimIs: 'at least', ratio: 0.8 });
  });

  it('come with a warning where the runs lie too far apart to say much', () => {
    assert.deepEqual(warningsOf([measured()]), []);
    const [warning] = warningsOf([measured({ figures: [50_000, 80_000, 120_000] })]);
    assert.match(warning ?? '', /^import-csv on pg: the runs lie far apart/);
  });

  it('make a table with a line each, and how far the runs lay apart', () => {
    const [head, line] = formatTable([measured()]).split('\n');
    assert.match(head ?? '', /^name +backend +of +figure +unit +± +reference +± +ratio +aim +met +peak RSS MB$/);
    assert.match(
      line ?? '',
      /^import-csv +pg +200,000 rows +80,000 +rows\/s +13 % +100,000 +1 % +0\.80 +≥ 0\.7 +yes +/,
    );
  });
});
