/** Adds up the warnings of chunks. */
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { ChunkWarning, ChunkWarnings } from '../../../../db/models/job-chunk.js';
import type { ChunkCounts } from '../model/chunk-result.js';

/** The most ranges of rows in one line of the summary. */
export const MAX_RANGES = 20;
/** The most lines in the error summary of a job, whose list of errors is complete, and in its warnings. */
export const MAX_SUMMARY_LINES = 100;

/** Adds up what the chunks of a job have recorded. */
export class WarningSum {
  readonly #lines = new Map<string, ChunkWarning>();
  /** In how many chunks a column has no value. */
  readonly #empty = new Map<string, number>();
  readonly decided = new Set<string>();

  add({ noted, empty, decided = [] }: ChunkWarnings): void {
    for (const column of decided) this.decided.add(column);
    for (const line of noted) {
      const key = `${line.c} ${line.p}`;
      const known = this.#lines.get(key);
      if (known === undefined) {
        this.#lines.set(key, line);
        continue;
      }
      const ranges = joined([...known.r, ...line.r].sort(([a], [b]) => a - b));
      const { r, more } = shortened(ranges);
      const first = (line.r[0]?.[0] ?? 0) < (known.r[0]?.[0] ?? 0) ? line : known;
      const cut = more === true || known.more === true || line.more === true;
      this.#lines.set(key, { ...first, n: known.n + line.n, r, ...(cut ? { more: true } : {}) });
    }
    for (const column of empty) this.#empty.set(column, (this.#empty.get(column) ?? 0) + 1);
  }

  lines(): ChunkWarning[] {
    return [...this.#lines.values()];
  }

  /** Whether a refused number has another decimal separator than those that were read. */
  hasContraryNumber(): boolean {
    return this.lines().some(({ c }) => c === 'NUMBER_CONTRARY');
  }

  /** @param chunks how many the job has: a column is empty if it is in each of them */
  summary(chunks: number, { created, updated, unchanged, failed }: ChunkCounts): readonly ErrorSummaryLine[] | null {
    const rows = created + updated + unchanged + failed;
    const lines = this.lines();
    const contrary = (code: string, column?: string) =>
      lines.find(({ c, p }) => c === code && (column === undefined || p === column));
    const warned = lines.flatMap((line) => {
      const { c: code, p: path, n: count } = line;
      if (code.endsWith('_CONTRARY')) return [];
      const shown = { code, path, count, rows: shownRanges(line), example: line.e };
      if (code === 'NUMBER_AMBIGUOUS') {
        const other = contrary('NUMBER_CONTRARY');
        if (other !== undefined) return [{ ...shown, example: `${line.e}, but ${otherNumbers(other)}` }];
        return this.decided.has(path) ? [] : [{ ...shown, example: `${line.e}, ${EITHER_WAY}` }];
      }
      if (code === 'DATE_AMBIGUOUS') {
        const other = contrary('DATE_CONTRARY', path);
        return other === undefined ? [] : [{ ...shown, example: `${line.e}, but ${otherDates(other)}` }];
      }
      return [shown];
    });
    warned.sort((a, b) => b.count - a.count);
    const empty = [...this.#empty].flatMap(([path, inChunks]) =>
      inChunks === chunks && rows > 0
        ? [{ code: 'COLUMN_EMPTY', path, count: rows, rows: 'all', example: NO_VALUE }]
        : [],
    );
    const all = [...warned, ...empty].slice(0, MAX_SUMMARY_LINES);
    return all.length === 0 ? null : all;
  }
}

const EITHER_WAY =
  'and no number of the column tells whether its separator is one of decimals or of thousands: give the option decimalSeparator with the one that the file has, or its profile the step "number", and send it again if the values are wrong';

const NO_VALUE = 'no row has a value in this column, and an empty cell changes nothing: write NULL to clear a value';

function otherNumbers({ p: column, e: value }: ChunkWarning): string {
  return `${value} in the column "${column}" has another decimal separator: if the separator of this number separates thousands, give the option decimalSeparator, or the profile of the file the step "number", and send the file again`;
}

function otherDates({ e: value }: ChunkWarning): string {
  return `${value} in the same column has the day and the month in the other order: if this date has too, give the option dateFormat, or correct the format of the attribute, and send the file again`;
}

function shownRanges({ r, more }: ChunkWarning): string {
  const shown = r.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(', ');
  return more === true ? `${shown}, …` : shown;
}

type Range = readonly [low: number, high: number];

/** The first ranges of rows. A column may be noted in each row: no more is made than is kept. @param rows in order */
export function rangesOf(rows: readonly number[]): Pick<ChunkWarning, 'r' | 'more'> {
  const ranges: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const row of rows) {
    if (last !== undefined && row <= last[1] + 1) {
      last[1] = Math.max(last[1], row);
    } else {
      if (ranges.length === MAX_RANGES) return { r: ranges, more: true };
      last = [row, row];
      ranges.push(last);
    }
  }
  return { r: ranges };
}

/** Joins ranges that touch. @param ranges in order */
function joined(ranges: readonly Range[]): Range[] {
  const all: [number, number][] = [];
  for (const [low, high] of ranges) {
    const last = all.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else all.push([low, high]);
  }
  return all;
}

function shortened(ranges: readonly Range[]): Pick<ChunkWarning, 'r' | 'more'> {
  return ranges.length <= MAX_RANGES ? { r: ranges } : { r: ranges.slice(0, MAX_RANGES), more: true };
}
