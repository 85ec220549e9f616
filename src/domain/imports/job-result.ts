/** The result of each row of a job, in pages: its key, its outcome and its problems. */
import type { Db } from '../../../db/connection.js';
import { JobChunk } from '../../../db/models/job-chunk.js';
import type { JobError } from '../../../db/models/job-error.js';
import { fromInTurns } from '../../platform/time-slice.js';
import type { LoadedJob } from '../job-model/job-type.js';
import { DomainError } from '../kernel/errors.js';
import { groupedBy } from '../kernel/grouped-by.js';
import { IMPORT_JOBS, type ImportJob } from './model/import-jobs.js';
import type { RowResult } from './model/row-result.js';
import { type NamedJob, type NamedResult, withIds } from './results/look-ups.js';
import { namesOfLines, type RowName, type RowsSource, readRowNames } from './results/row-names.js';

interface JobResultPage {
  readonly rows: readonly RowResult[];
  readonly count: number;
}

/**
 * @throws DomainError conflict when the job has not ended; gone when its input is no longer kept
 */
export async function pageJobResult(
  source: RowsSource,
  job: LoadedJob,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JobResultPage> {
  requireEnded(job);
  if (job.pruned_at !== null) throw new DomainError('gone', 'INPUT_GONE', 'the rows of the job are no longer kept');
  if (!isImportJob(job)) return { rows: [], count: 0 };
  const { db } = source;
  const chunks = await JobChunk.query(db)
    .where({ job_id: job.id })
    .select('job_id', 'idx', 'first_row', 'row_count', 'byte_start', 'byte_end', 'outcomes')
    .orderBy('idx');
  const rows: NamedResult[] = [];
  let first = 0;
  for (const chunk of chunks) {
    const from = Math.max(offset, first);
    const to = Math.min(offset + limit, first + chunk.row_count);
    if (from < to) rows.push(...(await chunkResult(source, job, chunk, first, from, to)));
    first += chunk.row_count;
  }
  return { rows: await withIds(db, job, rows), count: first };
}

/** The results of the rows of a request that were all applied. @param outcomes a letter of OUTCOME for each row */
export async function appliedRows(db: Db, job: NamedJob, lines: Buffer, outcomes: string): Promise<RowResult[]> {
  const names = await namesOfLines(lines, job.jobType.rowNaming);
  const rows = await fromInTurns(names, (name, index) => resultOf(name, index, outcomes[index], NO_ERRORS));
  return withIds(db, job, rows);
}

/** @throws DomainError conflict when the job has not ended */
export function requireEnded<Job extends Pick<LoadedJob, 'status' | 'completed_at'>>(job: Job): Job {
  if (job.completed_at !== null) return job;
  const message = `the job is ${job.status}; its result is available when it has ended`;
  throw new DomainError('conflict', 'JOB_NOT_ENDED', message);
}

async function chunkResult(
  source: RowsSource,
  job: ImportJob,
  chunk: JobChunk,
  first: number,
  from: number,
  to: number,
): Promise<NamedResult[]> {
  const named = await readRowNames(source, job, chunk);
  const outcomes = chunk.outcomes ?? '';
  const wanted = named.slice(from - first, to - first);
  const errors = await loadErrors(source.db, job.id, wanted[0]?.row ?? 0, wanted.at(-1)?.row ?? 0);
  return fromInTurns(wanted, (name, position) =>
    resultOf(name, from + position, outcomes[from - first + position], errors.get(name.row) ?? NO_ERRORS),
  );
}

const NO_ERRORS: RowResult['errors'] = [];

/** All have the same members, and each is made once: a request may have 10,000 rows. */
function resultOf(
  { row, key, id, place }: RowName,
  index: number,
  outcome = '-',
  errors: RowResult['errors'],
): NamedResult {
  return { index, row, key, outcome, id, errors, place };
}

async function loadErrors(db: Db, jobId: string, from: number, to: number): Promise<Map<number, JobError[]>> {
  const rows: JobError[] = await db('job_error')
    .where({ job_id: jobId })
    .whereBetween('row_no', [from, to])
    .orderBy(['row_no', 'seq']);
  return groupedBy(rows, ({ row_no }) => row_no);
}

/** Whether a job imports rows. */
function isImportJob(job: LoadedJob): job is ImportJob {
  return job.kind in IMPORT_JOBS;
}
