/** The keys of rows. They are not stored, so they are read from the job's input again. */
import type { Db } from '../../../../db/connection.js';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { FileMissing, type FileStore } from '../../../platform/file-store.js';
import { fromInTurns } from '../../../platform/time-slice.js';
import { resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import type { CategoryPlace } from '../../catalog/categories/category-input.js';
import { normalizeSku } from '../../catalog/items/item-key.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/json-rows.js';
import { shownText } from '../../formats/xlsx/rows/marked-cell.js';
import type { LoadedJob } from '../../job-model/job-type.js';
import { DomainError } from '../../kernel/errors.js';
import { isId } from '../../kernel/identifier.js';
import { categoryReader } from '../categories/read-category.js';
import type { ImportJob } from '../model/import-jobs.js';
import { parseLines, readInput } from '../pipeline/apply-input.js';
import { keysOfLines } from '../pipeline/find-duplicates.js';
import { inputKey, parseChunk, readChunk } from '../pipeline/read-chunk.js';
import type { InputPlan } from '../rows/input-plan.js';
import type { SourceRows } from '../rows/row-applier.js';

type Naming = LoadedJob['jobType']['rowNaming'];

export interface RowName {
  readonly row: number;
  /** The SKU or the attribute's name, trimmed and in NFC; null when none can be read from the row. */
  readonly key: string | null;
  /** The id by which an attribute row names what it changes. */
  readonly id: string | null;
  /** For category rows: where the category is; absent when the row does not say. */
  readonly place?: CategoryPlace;
}

/** Where the rows of a job are. */
export interface RowsSource {
  readonly db: Db;
  readonly fileStore: FileStore;
  /** Those of a request that are still in memory. Default: they are read from the database. */
  readonly lines?: Buffer | undefined;
}

/** Reads the names of the rows of one chunk, in order. @throws DomainError gone when the input is no longer kept */
export async function readRowNames(
  { db, fileStore, lines }: RowsSource,
  job: ImportJob,
  chunk: JobChunk,
): Promise<RowName[]> {
  const { plan } = job;
  const { rowNaming } = job.jobType;
  if (job.input_file_id === null || plan === null) {
    return namesOfLines(lines ?? Buffer.from(await readInput(db, job.id)), rowNaming);
  }
  try {
    const rows = parseChunk(await readChunk(fileStore, await inputKey(db, job, plan), chunk), chunk, plan);
    return await namesOf(rows, rowNaming, plan);
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    const message = 'the input of the job is no longer kept; its errors are, at /jobs/{id}/errors';
    throw new DomainError('gone', 'INPUT_GONE', message);
  }
}

/** Items name themselves by a field that is found without parsing the rows again: acceptance has checked them. */
export async function namesOfLines(lines: Buffer, naming: Naming): Promise<RowName[]> {
  if (naming !== 'sku') return namesOf({ format: 'JSON', rows: parseLines(lines) }, naming, null);
  const keys = keysOfLines(lines, 'sku', (element) => textOf(element, 'sku') ?? null);
  return fromInTurns(keys, (key, index) => ({ row: index + 1, key: cleaned(key ?? undefined), id: null }));
}

async function namesOf(source: SourceRows, naming: Naming, plan: InputPlan | null): Promise<RowName[]> {
  if (naming === 'place') return categoryNames(source, plan?.headerCells ?? null);
  if (source.format === 'CSV') {
    const keyColumn = plan?.keyColumn ?? -1;
    return fromInTurns(source.rows, ({ row, cells }) => ({
      row,
      key: cleaned(shownText(cells[keyColumn] ?? '')),
      id: null,
    }));
  }
  const field = naming === 'name' ? 'name' : 'sku';
  return fromInTurns(source.rows, ({ row, element }) => {
    const id = naming === 'name' ? textOf(element, 'id') : undefined;
    return { row, key: cleaned(textOf(element, field)), id: id !== undefined && isId(id) ? id : null };
  });
}

function categoryNames({ rows }: SourceRows, headerCells: readonly string[] | null): Promise<RowName[]> {
  const columns = headerCells === null ? null : resolveCategoryHeader(headerCells);
  const readRow = categoryReader(columns);
  return fromInTurns<CsvRow | JsonRow, RowName>(rows, (given) => {
    const { row, key, outcome } = readRow(given);
    return { row, key, id: null, ...('place' in outcome ? { place: outcome.place } : {}) };
  });
}

function textOf(element: unknown, field: string): string | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const value = (element as Record<string, unknown>)[field];
  return typeof value === 'string' ? value : undefined;
}

function cleaned(key: string | undefined): string | null {
  return key === undefined ? null : normalizeSku(key) || null;
}
