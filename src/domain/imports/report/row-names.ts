/** What the rows of a job are called in its input: read from there again, for nothing else keeps it. */
import type { Db } from '../../../../db/connection.js';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { FileMissing, type FileStore } from '../../../platform/file-store.js';
import { resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import type { CategoryPlace } from '../../catalog/categories/category-input.js';
import { normalizeSku } from '../../catalog/items/item-key.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/plan-jsonl.js';
import { shownText } from '../../formats/xlsx/rows/marked-cell.js';
import type { RowNaming } from '../../jobs/job-type.js';
import { DomainError } from '../../kernel/errors.js';
import { isId } from '../../kernel/identifier.js';
import { categoryReader } from '../categories/read-category.js';
import type { ImportJob } from '../import-jobs.js';
import type { SourceRows } from '../pipeline/ingest-kind.js';
import type { InputPlan } from '../pipeline/input-plan.js';
import { parseChunk, readChunk } from '../pipeline/read-chunk.js';
import { readInlineRows } from '../run-inline-job.js';

export interface RowName {
  readonly row: number;
  /** The SKU or the attribute's name, trimmed and NFC; null: the row has none that can be read. */
  readonly key: string | null;
  /** The id by which an attribute row names what it changes. */
  readonly id: string | null;
  /** Of a category row: where it is; absent: the row does not say it. */
  readonly place?: CategoryPlace;
}

/** Of the rows of one chunk, in order. @throws DomainError gone when the input is no longer kept */
export async function readRowNames(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  chunk: JobChunk,
): Promise<RowName[]> {
  const { plan } = job;
  const { rowNaming } = job.jobType;
  if (job.input_file_id === null || plan === null) {
    return namesOf({ format: 'JSON', rows: await readInlineRows(db, job.id) }, rowNaming, null);
  }
  try {
    return namesOf(parseChunk(await readChunk(db, fileStore, job, chunk, plan), chunk, plan), rowNaming, plan);
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    const message = 'the input of the job is no longer kept; its errors are, at /jobs/{id}/errors';
    throw new DomainError('gone', 'INPUT_GONE', message);
  }
}

function namesOf(source: SourceRows, naming: RowNaming, plan: InputPlan | null): RowName[] {
  if (naming === 'place') return categoryNames(source, plan?.headerCells ?? null);
  if (source.format === 'CSV') {
    const keyColumn = plan?.keyColumn ?? -1;
    return Array.from(source.rows, ({ row, cells }) => ({
      row,
      key: cleaned(shownText(cells[keyColumn] ?? '')),
      id: null,
    }));
  }
  const field = naming === 'name' ? 'name' : 'sku';
  return Array.from(source.rows, ({ row, element }) => {
    const id = naming === 'name' ? textOf(element, 'id') : undefined;
    return { row, key: cleaned(textOf(element, field)), id: id !== undefined && isId(id) ? id : null };
  });
}

function categoryNames({ rows }: SourceRows, headerCells: readonly string[] | null): RowName[] {
  const columns = headerCells === null ? null : resolveCategoryHeader(headerCells);
  const readRow = categoryReader(columns);
  return Array.from<CsvRow | JsonRow, RowName>(rows, (given) => {
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
