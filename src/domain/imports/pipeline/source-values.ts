/** Makes the problems of a file with a profile quote what its source holds, where they quote what was made of it. */
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import type { FileStore } from '../../../platform/file-store.js';
import { csvRows, parseCsvChunk } from '../../formats/csv/parse-csv-chunk.js';
import { BLOCK_HEAD_BYTES, restOfBlock, rowsOfBlock } from '../../formats/mapped/source-block.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import { isMarked } from '../../formats/xlsx/rows/marked-cell.js';
import type { RowFailure } from '../../jobs/model/chunk-result.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import { quoted } from '../../kernel/value-problem.js';
import { compileProfile } from '../../profiles/compile-profile.js';
import { profileSchema } from '../../profiles/model/profile.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import type { InputPlan } from '../model/input-plan.js';
import { readChunk } from './read-chunk.js';

type Chunk = Pick<JobChunk, 'byte_start' | 'byte_end' | 'first_row'>;

/** Where the copy is. */
interface Copy {
  readonly fileStore: FileStore;
  readonly key: string;
}

/**
 * The result of a chunk, whose failures quote the source.
 * @param chunk the chunk whose rows they are
 */
export async function quotingSource<Result extends { readonly failures: RowFailure[] }>(
  copy: Copy,
  job: ImportJob,
  plan: InputPlan,
  chunk: Chunk,
  result: Result,
): Promise<Result> {
  const { profile }: Partial<ImportOptions> = job.options;
  const { originals, sourceNames } = plan;
  if (!profile || originals === undefined || sourceNames === undefined) return result;
  const wanted = new Set(result.failures.flatMap(({ row, problems }) => (problems.some(isOfValue) ? [row] : [])));
  if (wanted.size === 0) return result;
  const sources = await readSources(copy, profile.document, originals, chunk, wanted);
  const cells = new Map<number, readonly string[]>();
  const options = { delimiter: WORKBOOK_DELIMITER, columns: sourceNames.length, firstRow: chunk.first_row };
  for (const row of csvRows(await readChunk(copy.fileStore, copy.key, chunk), { ...options, keepMarked: true })) {
    if (wanted.has(row.row)) cells.set(row.row, row.cells);
  }
  const failures = result.failures.map((failure) => {
    const own = { cells: cells.get(failure.row) ?? [], sources: sources.get(failure.row) ?? [] };
    return { ...failure, problems: failure.problems.map((problem) => withSourceValue(problem, own, sourceNames)) };
  });
  return { ...result, failures };
}

/** What the source holds for each column of ours, in some rows of a chunk. */
async function readSources(
  { fileStore, key }: Copy,
  document: unknown,
  { delimiter, quote, columns }: NonNullable<InputPlan['originals']>,
  chunk: Chunk,
  wanted: ReadonlySet<number>,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const textsOf = compileProfile(profileSchema.parse(document)).textsFrom(columns);
  const sources = new Map<number, readonly string[]>();
  const block = await readBlock(fileStore, key, chunk.byte_end ?? 0);
  for (const { row, bytes } of rowsOfBlock(block.subarray(BLOCK_HEAD_BYTES))) {
    if (!wanted.has(row)) continue;
    if (delimiter === null) sources.set(row, JSON.parse(bytes.toString('utf8')));
    else {
      const [parsed] = parseCsvChunk(bytes, { delimiter, quote, columns: -1, firstRow: row });
      sources.set(row, textsOf(parsed?.cells ?? []));
    }
  }
  return sources;
}

/** The rows of the source that the copy has behind those of a chunk. @param at where these end */
export async function readBlock(fileStore: FileStore, key: string, at: number): Promise<Buffer> {
  const head = await fileStore.readRange(key, at, at + BLOCK_HEAD_BYTES);
  const from = at + BLOCK_HEAD_BYTES;
  const rest = restOfBlock(head);
  return rest === 0 ? head : Buffer.concat([head, await fileStore.readRange(key, from, from + rest)]);
}

/** A failed row, in the columns of ours. */
interface MappedRow {
  /** The cells that the import has read. */
  readonly cells: readonly string[];
  /** What the source holds for each of them. */
  readonly sources: readonly string[];
}

function isOfValue({ code, value = '' }: RowProblem): boolean {
  return value !== '' && code !== 'PROFILE_STEP_FAILED';
}

/** @param sourceNames what the source of each column is called, as the problems name it */
function withSourceValue(
  problem: RowProblem,
  { cells, sources }: MappedRow,
  sourceNames: readonly string[],
): RowProblem {
  const { column, value = '', message } = problem;
  if (!isOfValue(problem)) return problem;
  const at = cells.findIndex(
    (cell, index) => sourceNames[index] === column && !isMarked(cell) && isValueOf(value, cell.trim()),
  );
  const cell = cells[at];
  const source = sources[at];
  if (cell === undefined || source === undefined || source === '' || source === cell) return problem;
  let restated = message;
  for (const written of new Set([cell, cell.trim(), value]))
    restated = restated.replaceAll(quoted(written), () => quoted(source));
  return { ...problem, message: restated, value: source };
}

/** Values are cut. */
function isValueOf(value: string, cell: string): boolean {
  const trimmed = value.trim();
  return cell === trimmed || (trimmed.length >= MIN_CUT && cell.startsWith(trimmed.slice(0, MIN_CUT)));
}

const MIN_CUT = 150;
