/** What the rows of a job are called in its input: read from there again, for nothing else keeps it. */
import type { Db } from '../../../../db/connection.js';
import type { Job } from '../../../../db/models/job.js';
import type { JobChunk } from '../../../../db/models/job-chunk.js';
import { FileMissing, type FileStore } from '../../../platform/file-store.js';
import { resolveCategoryHeader } from '../../catalog/categories/category-columns.js';
import type { CategoryPlace } from '../../catalog/categories/category-input.js';
import { normalizeSku } from '../../catalog/items/item-key.js';
import type { CsvRow } from '../../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../../formats/json/parse-jsonl-chunk.js';
import { shownText } from '../../formats/xlsx/rows/marked-cell.js';
import { DomainError } from '../../kernel/errors.js';
import { isId } from '../../kernel/identifier.js';
import { parseChunk, readChunk } from '../apply-job-chunk.js';
import { categoryReader } from '../categories/read-category.js';
import type { InputPlan, SourceRows } from '../pipeline/ingest-kind.js';
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
  job: Job,
  chunk: JobChunk,
): Promise<RowName[]> {
  const plan = job.plan as unknown as InputPlan | null;
  if (job.input_file_id === null || plan === null) {
    return namesOf({ format: 'JSON', rows: await readInlineRows(db, job.id) }, job, null);
  }
  try {
    return namesOf(parseChunk(await readChunk(db, fileStore, job, chunk, plan), chunk, plan), job, plan);
  } catch (error) {
    if (!(error instanceof FileMissing)) throw error;
    const message = 'the input of the job is no longer kept; its errors are, at /jobs/{id}/errors';
    throw new DomainError('gone', 'INPUT_GONE', message);
  }
}

function namesOf(source: SourceRows, { kind }: Job, plan: InputPlan | null): RowName[] {
  if (kind === 'category' || kind === 'status') return categoryNames(source, plan?.headerCells ?? null);
  if (source.format === 'CSV') {
    const keyColumn = plan?.keyColumn ?? -1;
    return Array.from(source.rows, ({ row, cells }) => ({
      row,
      key: cleaned(shownText(cells[keyColumn] ?? '')),
      id: null,
    }));
  }
  const field = kind === 'item' ? 'sku' : 'name';
  return Array.from(source.rows, ({ row, element }) => {
    const id = kind === 'attribute' ? textOf(element, 'id') : undefined;
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
