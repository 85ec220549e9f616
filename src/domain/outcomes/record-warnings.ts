/** Warnings: chunks record them with their counts, and they are added up when the job ends. */
import type { Db } from '../../../db/connection.js';
import type { ErrorSummaryLine } from '../../../db/models/job.js';
import type { ChunkWarnings } from '../../../db/models/job-chunk.js';
import type { ChunkCounts } from './model/chunk-result.js';
import type { Warnings } from './model/warnings.js';
import { withKeptDoubts } from './warnings/column-doubts.js';
import { MAX_SUMMARY_LINES, rangesOf, WarningSum } from './warnings/warning-sum.js';

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
      ...rangesOf(rows),
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
  const job = await db('job').where({ id: jobId }).first(db.raw("plan->'warnings' AS warnings"));
  const lines = [...(job?.warnings ?? []), ...all];
  return lines.length === 0 ? null : lines.slice(0, MAX_SUMMARY_LINES);
}

/** The warnings of a job whose only chunk has these; null if there are none. */
export function warningsOf(recorded: ChunkWarnings | null, counts: ChunkCounts): readonly ErrorSummaryLine[] | null {
  if (recorded === null) return null;
  const sum = new WarningSum();
  sum.add(recorded);
  return sum.summary(1, counts);
}
