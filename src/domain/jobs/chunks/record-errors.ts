/** Records the problems of rows, and the warnings about them, for clients to read, and summarises both. */
import type { Knex } from 'knex';
import type { Db } from '../../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { ChunkWarning, ChunkWarnings } from '../../../../db/models/job-chunk.js';
import { storable } from '../../kernel/characters.js';
import { type ChunkCounts, type RowFailure, type Warnings, WINNER_FAILED } from '../../kernel/chunk-result.js';
import { MAX_ROW_PROBLEMS, type RowCode, type RowProblem } from '../../kernel/row-problem.js';
import { SHARED_CAUSES } from '../../kernel/shared-causes.js';
import { withKeptDoubts } from './column-doubts.js';

/** About so many problems are inserted by one statement; a chunk in which every row fails needs several. */
const ERRORS_PER_STATEMENT = 5_000;
/** The most ranges of rows in one line of the summary. */
const MAX_RANGES = 20;
/** The most lines in the error summary of a job, whose list of errors is complete, and in its warnings. */
const MAX_SUMMARY_LINES = 100;

/** Records failures. Repeating it for the same rows changes nothing. */
export async function recordFailures(
  trx: Knex.Transaction,
  jobId: string,
  failures: readonly RowFailure[],
): Promise<void> {
  let lines: object[] = [];
  for (const { row, key, problems } of failures) {
    for (const [seq, problem] of limited(problems).entries()) lines.push(lineOf(row, key, problem, seq));
    if (lines.length < ERRORS_PER_STATEMENT) continue;
    await insertLines(trx, jobId, lines);
    lines = [];
  }
  if (lines.length > 0) await insertLines(trx, jobId, lines);
}

function lineOf(row: number, key: string | null, problem: RowProblem, seq: number): object {
  const { code, column, message, value, winningRow } = problem;
  return {
    r: row,
    s: seq,
    k: key === null ? null : storable(key, 255),
    c: column === null ? null : storable(column, 255),
    code,
    m: storable(message, 1_000),
    v: value === undefined ? null : storable(value, 200),
    w: winningRow,
  };
}

async function insertLines(trx: Knex.Transaction, jobId: string, lines: readonly object[]): Promise<void> {
  await trx.raw(
    `INSERT INTO job_error (job_id, row_no, seq, key, col, code, message, value, winning_row)
     SELECT ?, r, s, k, c, code, m, v, w
     FROM jsonb_to_recordset(?::jsonb) AS line (r integer, s smallint, k text, c text, code text, m text, v text, w integer)
     ON CONFLICT ON CONSTRAINT job_error_pk DO NOTHING`,
    [jobId, JSON.stringify(lines)],
  );
}

/**
 * Makes the superseded rows of a job say so if their winning row failed, which is known when all its chunks are done.
 * Repeating it changes nothing.
 */
export async function explainRecorded(db: Db, jobId: string): Promise<void> {
  await db.raw(
    `UPDATE job_error AS superseded
     SET message = replace(replace(:message, '{row}', superseded.winning_row::text), '{place}',
       CASE WHEN superseded.winning_row > superseded.row_no THEN 'later' ELSE 'first' END)
     FROM job_error AS winner
     WHERE superseded.job_id = :jobId AND superseded.winning_row IS NOT NULL
       AND winner.job_id = superseded.job_id AND winner.row_no = superseded.winning_row AND winner.seq = 0`,
    { jobId, message: WINNER_FAILED },
  );
}

/** Limits the problems of a row to those that are kept; the message of the last one says that there are more. */
function limited(problems: readonly RowProblem[]): readonly RowProblem[] {
  const last = problems[MAX_ROW_PROBLEMS - 1];
  if (problems.length <= MAX_ROW_PROBLEMS || last === undefined) return problems;
  const message = `${storable(last.message, 900)} (the row has further problems; correct these first)`;
  return [...problems.slice(0, MAX_ROW_PROBLEMS - 1), { ...last, message }];
}

/**
 * Groups a job's errors by code and column: one wrong column in 100,000 rows gives one line, and so do all columns that
 * are wrong for one reason.
 */
export async function summariseErrors(trx: Knex.Transaction, jobId: string): Promise<ErrorSummaryLine[]> {
  const shared = Object.keys(SHARED_CAUSES);
  const result: { readonly rows: ErrorSummaryLine[] } = await trx.raw(
    `WITH island AS (
       SELECT code, col, row_no, row_no - row_number() OVER (PARTITION BY code, col ORDER BY row_no) AS run
       FROM (SELECT DISTINCT code, CASE WHEN code = ANY(CAST(:shared AS text[])) THEN NULL ELSE col END AS col, row_no
             FROM job_error WHERE job_id = :jobId) AS failed
     ), range AS (
       SELECT code, col, min(row_no) AS low, max(row_no) AS high, count(*) AS size,
              row_number() OVER (PARTITION BY code, col ORDER BY min(row_no)) AS nth
       FROM island GROUP BY code, col, run
     )
     SELECT code, col AS path, sum(size)::integer AS count,
            string_agg(CASE WHEN low = high THEN low::text ELSE low || '-' || high END, ', ' ORDER BY low)
              FILTER (WHERE nth <= ${MAX_RANGES}) || CASE WHEN count(*) > ${MAX_RANGES} THEN ', …' ELSE '' END AS rows,
            (SELECT message FROM job_error AS first
             WHERE first.job_id = :jobId AND first.row_no = min(range.low) AND first.code = range.code
               AND (first.col IS NOT DISTINCT FROM range.col OR first.code = ANY(CAST(:shared AS text[])))
             ORDER BY seq LIMIT 1) AS example
     FROM range GROUP BY code, col ORDER BY count DESC, min(low), code, col LIMIT ${MAX_SUMMARY_LINES}`,
    { jobId, shared },
  );
  return Promise.all(result.rows.map((line) => withItsColumns(trx, jobId, line)));
}

/** Names the columns of a line that stands for several, or the only one. */
async function withItsColumns(trx: Knex.Transaction, jobId: string, line: ErrorSummaryLine): Promise<ErrorSummaryLine> {
  const cause = SHARED_CAUSES[line.code as RowCode];
  if (cause === undefined) return line;
  const found = await trx('job_error')
    .where({ job_id: jobId, code: line.code })
    .whereNotNull('col')
    .groupBy('col')
    .orderByRaw('count(*) DESC, col')
    .pluck<string[]>('col');
  const [only] = found;
  return found.length === 1 && only !== undefined ? { ...line, path: only } : { ...line, example: cause(found) };
}

// Warnings: chunks record them with their counts, and they are added up when the job ends.

/** Adds the warnings of a pass to what earlier passes have recorded of the chunk; null if there are none. */
export function recordedWarnings(before: ChunkWarnings | null, warnings: Warnings | undefined): ChunkWarnings | null {
  if (warnings === undefined) return before;
  const sum = new WarningSum();
  // The first pass reads every row, and so does each later one.
  if (before !== null) sum.add({ ...before, empty: [] });
  const decided = [...new Set([...(before?.decided ?? []), ...warnings.decided])];
  sum.add({
    noted: warnings.noted.map(({ code, column, rows, examples }) => ({
      ...{ c: code, p: column, n: rows.length, e: exampleAmong(rows, examples) },
      ...shortened(rangesOf(rows)),
    })),
    empty: [],
  });
  return { noted: sum.lines(), empty: before?.empty ?? warnings.empty, decided };
}

/** What was noted in the first of the rows of which that is known. */
function exampleAmong(rows: readonly number[], examples: readonly (readonly [row: number, text: string])[]): string {
  return examples.find(([row]) => rows.includes(row))?.[1] ?? `the value of row ${rows[0]}`;
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
  const context = { decided: sum.decided, contrary: sum.hasContraryNumber(), unchanged: counts.unchanged };
  const all = await withKeptDoubts(db, jobId, sum.summary(count, counts) ?? [], context);
  return all.length === 0 ? null : all.slice(0, MAX_SUMMARY_LINES);
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
  'and no number of the column tells whether its separator is one of decimals or of thousands: give the option decimalSeparator with the one that the file has, and send it again if the values are wrong';

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

function shortened(ranges: readonly Range[]): Pick<ChunkWarning, 'r' | 'more'> {
  return ranges.length <= MAX_RANGES ? { r: ranges } : { r: ranges.slice(0, MAX_RANGES), more: true };
}
