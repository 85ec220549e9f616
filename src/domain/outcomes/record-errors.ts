/** Records the problems of rows for clients to read, and summarises them. */
import type { Knex } from 'knex';
import type { Db } from '../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../db/models/job.js';
import { storable } from '../kernel/characters.js';
import { MAX_ROW_PROBLEMS, type RowCode, type RowProblem } from '../kernel/row-problem.js';
import type { RowFailure } from './model/chunk-result.js';
import { MAX_RANGES, MAX_SUMMARY_LINES } from './warnings/warning-sum.js';

/** What is kept of a message, and of the value at fault. */
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_VALUE_CHARACTERS = 200;

/** About so many problems are inserted by one statement; a chunk in which every row fails needs several. */
const ERRORS_PER_STATEMENT = 5_000;

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
    m: storable(message, MAX_MESSAGE_CHARACTERS),
    v: value === undefined ? null : storable(value, MAX_VALUE_CHARACTERS),
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

/** Deletes what was recorded of jobs whose rows are applied anew, or that are gone. */
export async function deleteErrors(trx: Knex.Transaction, jobIds: string[]): Promise<void> {
  await trx('job_error').whereIn('job_id', jobIds).delete();
}

/** The message of a superseded row whose winning row failed. `{row}` stands for that row, `{place}` for where it is. */
export const WINNER_FAILED =
  'row {row} has the same key and comes {place}; it failed, so nothing of either was applied; correct row {row}, or remove it';

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
  const lines: ErrorSummaryLine[] = [];
  for (const line of result.rows) lines.push(await withItsColumns(trx, jobId, line));
  return lines;
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

const MAX_NAMES = 10;

/** What the summary says once of all columns that failed with a code, for one reason. */
const SHARED_CAUSES: Readonly<Partial<Record<RowCode, (columns: readonly string[]) => string>>> = {
  ATTRIBUTE_NOT_ASSIGNED: (columns) =>
    `${columns.length} attributes are not assigned to the category of their row (${shownNames(columns)}): name them in the column "Item Attributes" of a file of categories (CATEGORY_IMPORT), or leave the values out`,
};

function shownNames(columns: readonly string[]): string {
  const more = columns.length - MAX_NAMES;
  const names = columns.slice(0, MAX_NAMES).map((name) => `"${name}"`);
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
