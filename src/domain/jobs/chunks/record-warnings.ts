/**
 * Records the warnings of chunks with their counts, and adds them up when the job ends. They change no outcome, and are
 * in no error file.
 */
import type { Db } from '../../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { ChunkWarning, ChunkWarnings } from '../../../../db/models/job-chunk.js';
import type { ChunkCounts, Warnings } from '../../kernel/chunk-result.js';

/** The most ranges of rows in one line. */
const MAX_RANGES = 20;
/** The most lines of a job's warnings. */
const MAX_LINES = 100;

/** Adds the warnings of a pass to what earlier passes have recorded of the chunk; null if there are none. */
export function recordedWarnings(before: ChunkWarnings | null, warnings: Warnings | undefined): ChunkWarnings | null {
  if (warnings === undefined) return before;
  const sum = new WarningSum();
  // The first pass reads every row, and so does each later one.
  if (before !== null) sum.add({ ...before, empty: [] });
  sum.add({
    noted: warnings.noted.map(({ code, column, rows, examples }) => ({
      ...{ c: code, p: column, n: rows.length, e: exampleAmong(rows, examples) },
      ...limited(rangesOf(rows)),
    })),
    empty: [],
  });
  return { noted: sum.lines(), empty: before?.empty ?? warnings.empty };
}

/** What was noted in the first of the rows of which that is known. */
function exampleAmong(rows: readonly number[], examples: readonly (readonly [row: number, text: string])[]): string {
  const own = new Set(rows);
  return examples.find(([row]) => own.has(row))?.[1] ?? `the value of row ${rows[0]}`;
}

/** Chunks that one statement reads. */
const CHUNKS_PER_STATEMENT = 100;

/** The warnings of a job whose chunks are recorded; null if there are none. @param counts those of all its chunks */
export async function summariseWarnings(
  db: Db,
  jobId: string,
  counts: ChunkCounts,
): Promise<readonly ErrorSummaryLine[] | null> {
  const sum = new WarningSum();
  let chunks: { readonly idx: number; readonly warnings: ChunkWarnings | null }[] = [];
  let count = 0;
  do {
    chunks = await db('job_chunk')
      .where({ job_id: jobId })
      .where('idx', '>', chunks.at(-1)?.idx ?? -1)
      .orderBy('idx')
      .limit(CHUNKS_PER_STATEMENT)
      .select('idx', 'warnings');
    for (const { warnings } of chunks) if (warnings !== null) sum.add(warnings);
    count += chunks.length;
  } while (chunks.length === CHUNKS_PER_STATEMENT);
  return sum.summary(count, counts);
}

/** The warnings of a job whose only chunk has these; null if there are none. */
export function warningsOf(recorded: ChunkWarnings | null, counts: ChunkCounts): readonly ErrorSummaryLine[] | null {
  if (recorded === null) return null;
  const sum = new WarningSum();
  sum.add(recorded);
  return sum.summary(1, counts);
}

/** Adds up what the chunks of a job have recorded. */
class WarningSum {
  readonly #lines = new Map<string, ChunkWarning>();
  /** In how many chunks a column has no value. */
  readonly #empty = new Map<string, number>();

  add({ noted, empty }: ChunkWarnings): void {
    for (const line of noted) {
      const key = `${line.c} ${line.p}`;
      const known = this.#lines.get(key);
      if (known === undefined) {
        this.#lines.set(key, line);
        continue;
      }
      const ranges = joined([...known.r, ...line.r].sort(([a], [b]) => a - b));
      const { r, more } = limited(ranges);
      const first = (line.r[0]?.[0] ?? 0) < (known.r[0]?.[0] ?? 0) ? line : known;
      const cut = more === true || known.more === true || line.more === true;
      this.#lines.set(key, { ...first, n: known.n + line.n, r, ...(cut ? { more: true } : {}) });
    }
    for (const column of empty) this.#empty.set(column, (this.#empty.get(column) ?? 0) + 1);
  }

  lines(): ChunkWarning[] {
    return [...this.#lines.values()];
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
        return other === undefined ? [] : [{ ...shown, example: `${line.e}, but ${otherNumbers(other)}` }];
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
    const all = [...warned, ...empty].slice(0, MAX_LINES);
    return all.length === 0 ? null : all;
  }
}

const NO_VALUE = 'no row has a value in this column, and an empty cell changes nothing: write NULL to clear a value';

function otherNumbers({ p: column, e: value }: ChunkWarning): string {
  return `${value} in the column "${column}" has another decimal separator: if the separator of this number separates thousands, give the option decimalSeparator and send the file again`;
}

function otherDates({ e: value }: ChunkWarning): string {
  return `${value} in the same column has the day and the month in the other order: if this date has too, give the option dateFormat, or correct the format of the attribute, and send the file again`;
}

function shownRanges({ r, more }: ChunkWarning): string {
  const shown = r.map(([low, high]) => (low === high ? String(low) : `${low}-${high}`)).join(', ');
  return more === true ? `${shown}, …` : shown;
}

type Range = readonly [low: number, high: number];

/** @param rows in order */
function rangesOf(rows: readonly number[]): Range[] {
  return joined(rows.map((row) => [row, row] as const));
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

function limited(ranges: readonly Range[]): Pick<ChunkWarning, 'r' | 'more'> {
  return ranges.length <= MAX_RANGES ? { r: ranges } : { r: ranges.slice(0, MAX_RANGES), more: true };
}
