/** The results as a table for a terminal. */
import type { Aim, BenchmarkResult } from '../benchmark.js';
import { spread } from '../measure/statistics.js';

const HEADER = ['name', 'backend', 'of', 'figure', 'unit', '±', 'reference', '±', 'ratio', 'aim', 'met', 'peak RSS MB'];
/** Runs that lie further from their median say little. */
const NOISY = 0.25;
/** Columns of numbers. */
const RIGHT = new Set([3, 5, 6, 7, 8, 9]);

export function formatTable(results: readonly BenchmarkResult[]): string {
  const rows = [HEADER, ...results.map(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        RIGHT.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

/** What a reader of the table must know about its figures, a sentence each. */
export function warningsOf(results: readonly BenchmarkResult[]): string[] {
  return results
    .filter(({ figures, references }) => [figures, references].some((runs) => runs.length > 1 && spread(runs) > NOISY))
    .map(
      ({ name, backend }) => `${name} on ${backend}: the runs lie far apart, the machine had other work; measure again`,
    );
}

function cellsOf(result: BenchmarkResult): string[] {
  const { name, backend, what, figure, unit, figures, reference, references, ratio, aim, met, peaks } = result;
  return [
    ...[name, backend, what, formatNumber(figure), unit, formatSpread(figures)],
    reference === null ? '' : formatNumber(reference),
    formatSpread(references),
    ratio === null ? '' : ratio.toFixed(2),
    aim === null ? '' : formatAim(aim),
    met === null ? '' : met ? 'yes' : 'no',
    Object.entries(peaks)
      .map(([process, peak]) => `${process} ${peak}`)
      .join(', '),
  ];
}

function formatAim({ value, is }: Aim): string {
  return `${is === 'at least' ? '≥' : '≤'} ${value}`;
}

/** Three digits count; the rest is noise. */
function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

function formatSpread(values: readonly number[]): string {
  return values.length < 2 ? '' : `${Math.round(spread(values) * 100)} %`;
}
