/** The result of each row of a job, in pages: its key, its outcome and its problems. */
import type { Db } from '../../../db/connection.js';
import { JobChunk } from '../../../db/models/job-chunk.js';
import type { JobError } from '../../../db/models/job-error.js';
import { prepared } from '../../../db/prepared.js';
import type { FileStore } from '../../platform/file-store.js';
import { FileMissing } from '../../platform/file-store.js';
import { fromInTurns } from '../../platform/time-slice.js';
import { resolveCategoryHeader } from '../catalog/categories/category-columns.js';
import type { CategoryPlace } from '../catalog/categories/category-input.js';
import { normalizeSku } from '../catalog/items/item-key.js';
import type { CsvRow } from '../formats/csv/parse-csv-chunk.js';
import type { JsonRow } from '../formats/json/json-rows.js';
import { shownText } from '../formats/xlsx/rows/marked-cell.js';
import type { LoadedJob, ResultShape, RowNaming } from '../jobs/model/job-type.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { DomainError } from '../kernel/errors.js';
import { groupedBy } from '../kernel/grouped-by.js';
import { isId, itemId } from '../kernel/identifier.js';
import { categoryReader, findPlaces } from './categories/read-category.js';
import type { ImportJob } from './model/import-jobs.js';
import { isImportJob } from './model/import-jobs.js';
import type { InputPlan } from './model/input-plan.js';
import type { SourceRows } from './model/row-applier.js';
import { parseLines, readInput } from './pipeline/apply-input.js';
import { keysOfLines } from './pipeline/find-duplicates.js';
import { inputKey, parseChunk, readChunk } from './pipeline/read-chunk.js';

export interface RowResult {
  /** Position of the row in the input, from 0, not counting blank lines. */
  readonly index: number;
  /** The row number that messages use. */
  readonly row: number;
  readonly key: string | null;
  /** One letter of OUTCOME. */
  readonly outcome: string;
  /** Id of the item, attribute or category; null when it failed or was not written. */
  readonly id: string | null;
  /** Set for categories only. */
  readonly nodeId?: number | null;
  readonly errors: readonly Pick<JobError, 'code' | 'col' | 'message' | 'value'>[];
}

interface JobResultPage {
  readonly rows: readonly RowResult[];
  readonly count: number;
}

/**
 * @throws DomainError conflict when the job has not ended; gone when its input is no longer kept
 */
export async function pageJobResult(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: LoadedJob,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JobResultPage> {
  requireEnded(job);
  if (!isImportJob(job)) return { rows: [], count: 0 };
  const chunks = await JobChunk.query(db)
    .where({ job_id: job.id })
    .select('job_id', 'idx', 'first_row', 'row_count', 'byte_start', 'byte_end', 'outcomes')
    .orderBy('idx');
  const rows: NamedResult[] = [];
  let first = 0;
  for (const chunk of chunks) {
    const from = Math.max(offset, first);
    const to = Math.min(offset + limit, first + chunk.row_count);
    if (from < to) rows.push(...(await chunkResult({ db, fileStore }, job, chunk, first, from, to)));
    first += chunk.row_count;
  }
  return { rows: await withIds(db, job, rows), count: first };
}

/** What naming the rows of a job needs. */
interface NamedJob {
  readonly site_id: number;
  readonly jobType: Pick<LoadedJob['jobType'], 'rowNaming' | 'result'>;
}

/** The results of the rows of a request that were all applied. @param outcomes a letter of OUTCOME for each row */
export async function appliedRows(db: Db, job: NamedJob, lines: Buffer, outcomes: string): Promise<RowResult[]> {
  const names = await namesOfLines(lines, job.jobType.rowNaming);
  const rows = await fromInTurns(names, (name, index) =>
    Object.assign(name, { index, outcome: outcomes[index] ?? '-', errors: [] }),
  );
  return withIds(db, job, rows);
}

/** @throws DomainError conflict when the job has not ended */
export function requireEnded<Job extends Pick<LoadedJob, 'status' | 'completed_at'>>(job: Job): Job {
  if (job.completed_at !== null) return job;
  const message = `the job is ${job.status}; its result is available when it has ended`;
  throw new DomainError('conflict', 'JOB_NOT_ENDED', message);
}

async function chunkResult(
  services: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  chunk: JobChunk,
  first: number,
  from: number,
  to: number,
): Promise<NamedResult[]> {
  const named = await readRowNames(services, job, chunk);
  const outcomes = chunk.outcomes ?? '';
  const wanted = named.slice(from - first, to - first);
  const errors = await loadErrors(services.db, job.id, wanted[0]?.row ?? 0, wanted.at(-1)?.row ?? 0);
  return wanted.map((name, position) => ({
    ...name,
    index: from + position,
    outcome: outcomes[from - first + position] ?? '-',
    errors: errors.get(name.row) ?? [],
  }));
}

async function loadErrors(db: Db, jobId: string, from: number, to: number): Promise<Map<number, JobError[]>> {
  const rows: JobError[] = await db('job_error')
    .where({ job_id: jobId })
    .whereBetween('row_no', [from, to])
    .orderBy(['row_no', 'seq']);
  return groupedBy(rows, ({ row_no }) => row_no);
}

/** Adds the current ids of the records that the applied rows name; other rows have no record. */
async function withIds(db: Db, job: NamedJob, rows: readonly NamedResult[]): Promise<RowResult[]> {
  const applied = rows.filter(({ outcome }) => APPLIED.includes(outcome));
  const found = await LOOK_UPS[job.jobType.result](db, job.site_id, applied);
  return fromInTurns(rows, (row) => {
    const { index, row: number, key, outcome, errors } = row;
    const result = { index, row: number, key, outcome, errors, id: null };
    return APPLIED.includes(outcome) ? Object.assign(result, found(row)) : result;
  });
}

/** How the records that rows name are looked up. The job of an export has no applied rows. */
const LOOK_UPS = { items, attributes, categories, file: items } as const satisfies Readonly<
  Record<ResultShape, unknown>
>;

/** The outcomes created, updated, unchanged and deleted. */
const APPLIED = 'cunx';

type NamedResult = RowResult & Pick<RowName, 'place'>;
type Found = Pick<RowResult, 'key' | 'id' | 'nodeId'>;

async function categories(db: Db, siteId: number, rows: readonly NamedResult[]): Promise<(row: RowResult) => Found> {
  const found = await findPlaces(
    db,
    siteId,
    rows.map(({ place }) => place),
  );
  const byRow = new Map(rows.map(({ row }, index) => [row, found[index]]));
  return ({ row, key }) => {
    const category = byRow.get(row);
    return { key: category?.path ?? key, id: category?.id ?? null, nodeId: category?.nodeId ?? null };
  };
}

async function items(db: Db, siteId: number, rows: readonly RowResult[]): Promise<(row: RowResult) => Found> {
  const ids = await itemIds(
    db,
    siteId,
    rows.flatMap(({ key }) => key ?? []),
  );
  return ({ key }) => ({ key, id: ids.get(key ?? '') ?? null });
}

/** A row names its attribute by id, by name, or by both, when it renames it. */
async function attributes(db: Db, siteId: number, rows: readonly RowResult[]): Promise<(row: RowResult) => Found> {
  const known: { id: string; name: string; name_key: string }[] = await db('attribute')
    .where({ site_id: siteId })
    .where((query) =>
      query
        .whereIn(
          'name_key',
          rows.flatMap(({ key }) => (key === null ? [] : attributeKey(key))),
        )
        .orWhereIn(
          'id',
          rows.flatMap(({ id }) => id ?? []),
        ),
    )
    .select('id', 'name', 'name_key');
  const byKey = new Map(known.map((attribute) => [attribute.name_key, attribute]));
  const byId = new Map(known.map((attribute) => [attribute.id, attribute]));
  return ({ key, id }) => {
    if (id !== null) return { key: key ?? byId.get(id)?.name ?? null, id };
    return { key, id: byKey.get(attributeKey(key ?? ''))?.id ?? null };
  };
}

async function itemIds(db: Db, siteId: number, skus: readonly string[]): Promise<Map<string, string>> {
  const result = await prepared(
    db,
    `SELECT item.sku, item.row_no FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (SELECT sku, row_no FROM item WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; row_no: number }) => [row.sku, itemId(siteId, row.row_no)]));
}

// The keys of rows. They are not stored, so they are read from the job's input again.

interface RowName {
  readonly row: number;
  /** The SKU or the attribute's name, trimmed and in NFC; null when none can be read from the row. */
  readonly key: string | null;
  /** The id by which an attribute row names what it changes. */
  readonly id: string | null;
  /** For category rows: where the category is; absent when the row does not say. */
  readonly place?: CategoryPlace;
}

/** Reads the names of the rows of one chunk, in order. @throws DomainError gone when the input is no longer kept */
async function readRowNames(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: ImportJob,
  chunk: JobChunk,
): Promise<RowName[]> {
  const { plan } = job;
  const { rowNaming } = job.jobType;
  if (job.input_file_id === null || plan === null) {
    return namesOfLines(Buffer.from(await readInput(db, job.id)), rowNaming);
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
async function namesOfLines(lines: Buffer, naming: RowNaming): Promise<RowName[]> {
  if (naming !== 'sku') return namesOf({ format: 'JSON', rows: parseLines(lines.toString()) }, naming, null);
  const keys = keysOfLines(lines, 'sku', (element) => textOf(element, 'sku') ?? null);
  return fromInTurns(keys, (key, index) => ({ row: index + 1, key: cleaned(key ?? undefined), id: null }));
}

async function namesOf(source: SourceRows, naming: RowNaming, plan: InputPlan | null): Promise<RowName[]> {
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
