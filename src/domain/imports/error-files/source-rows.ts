/** The failed rows of a file with a profile, each with what its source holds. */
import type { Db } from '../../../../db/connection.js';
import type { FileStore } from '../../../platform/file-store.js';
import { csvRows } from '../../formats/csv/parse-csv-chunk.js';
import { WORKBOOK_DELIMITER } from '../../formats/model/workbook-column.js';
import { isMarked } from '../../formats/xlsx/rows/marked-cell.js';
import { restateErrors } from '../../jobs/restate-errors.js';
import { quoted } from '../../kernel/value-problem.js';
import type { MappedTable } from '../../profiles/compile-profile.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { InputPlan } from '../model/input-plan.js';
import { failedChunks, type RecordedProblem } from './failed-chunks.js';

const PROBLEMS_PER_STATEMENT = 2_000;

interface Services {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/** A failed row; `source` is what the reader of the source has made of it. */
export interface FailedRow<Source> {
  readonly row: number;
  readonly source: Source;
  readonly problems: readonly RecordedProblem[];
}

/** A row of the source, and the texts of its cells. */
interface SourceRow<Source> {
  readonly source: Source;
  readonly texts: readonly string[];
}

/**
 * The failed rows in order. Their problems are changed, and recorded anew, so that they quote what the source holds.
 * @param rowOf reads a row of the source; it is asked in ascending order
 */
export async function* failedSourceRows<Source>(
  services: Services,
  job: ImportJob,
  plan: InputPlan,
  mapped: Pick<MappedTable, 'textsOf'>,
  rowOf: (row: number) => Promise<SourceRow<Source>>,
): AsyncGenerator<FailedRow<Source>> {
  const { headerCells, sourceNames = [] } = plan;
  let restated: Parameters<typeof restateErrors>[2][number][] = [];
  const record = async () => {
    if (restated.length > 0) await restateErrors(services.db, job.id, restated);
    restated = [];
  };
  for await (const { bytes, firstRow, failed } of failedChunks(services, job, plan)) {
    const options = { delimiter: WORKBOOK_DELIMITER, columns: headerCells?.length ?? 0, firstRow, keepMarked: true };
    for (const { row, cells } of csvRows(bytes, options)) {
      const problems = failed.get(row);
      if (problems === undefined) continue;
      const { source, texts } = await rowOf(row);
      const sources = mapped.textsOf(texts);
      const restored = problems.map((problem) => {
        const own = withSourceValue(problem, { cells, sources }, sourceNames);
        const { seq, message, value = '' } = own;
        if (own !== problem) restated.push({ row, seq, message, value });
        return own;
      });
      if (restated.length >= PROBLEMS_PER_STATEMENT) await record();
      yield { row, source, problems: restored };
    }
  }
  await record();
}

/** A failed row, in the columns of ours. */
interface MappedRow {
  /** The cells that the import has read. */
  readonly cells: readonly string[];
  /** What the source holds for each of them. */
  readonly sources: readonly string[];
}

/** @param sourceNames what the source of each column is called, as the problems name it */
function withSourceValue(
  problem: RecordedProblem,
  { cells, sources }: MappedRow,
  sourceNames: readonly string[],
): RecordedProblem {
  const { column, value = '', message } = problem;
  if (value === '' || problem.code === 'PROFILE_STEP_FAILED') return problem;
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
