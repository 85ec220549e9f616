/** What became of each row of a job, a page at a time: the key, the outcome, the problems. */
import type { Db } from '../../../db/connection.js';
import type { Job } from '../../../db/models/job.js';
import { JobChunk } from '../../../db/models/job-chunk.js';
import type { JobError } from '../../../db/models/job-error.js';
import type { FileStore } from '../../platform/file-store.js';
import { attributeKey } from '../catalog/attribute-definition.js';
import { DomainError } from '../errors.js';
import { itemId } from '../identifier.js';
import { parseChunk, readChunk } from '../ingest/apply-job-chunk.js';
import type { InputPlan, SourceRows } from '../ingest/ingest-kind.js';
import { normaliseSku } from '../ingest/items/draft-builder.js';
import { loadKind } from '../ingest/load-kind.js';
import { readInlineRows } from '../ingest/run-inline-job.js';

export interface RowResult {
  /** Position of the row in the input, from 0, blank lines apart. */
  readonly index: number;
  /** Row number as messages name it. */
  readonly row: number;
  readonly key: string | null;
  /** A letter of OUTCOME. */
  readonly outcome: string;
  /** Id of the item or attribute; null when it failed or was not written. */
  readonly id: string | null;
  readonly errors: readonly Pick<JobError, 'code' | 'col' | 'message' | 'value'>[];
}

export interface JobResultPage {
  readonly rows: readonly RowResult[];
  readonly count: number;
}

/**
 * @throws DomainError conflict when the job has not ended; gone when its input is no longer kept
 */
export async function pageJobResult(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: Job,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<JobResultPage> {
  if (job.completed_at === null) {
    throw new DomainError(
      'conflict',
      'JOB_NOT_ENDED',
      `the job is ${job.status}; its result is there when it has ended`,
    );
  }
  const chunks = await JobChunk.query(db)
    .where({ job_id: job.id })
    .select('job_id', 'idx', 'first_row', 'row_count', 'byte_start', 'byte_end', 'outcomes')
    .orderBy('idx');
  const rows: RowResult[] = [];
  let first = 0;
  for (const chunk of chunks) {
    const from = Math.max(offset, first);
    const to = Math.min(offset + limit, first + chunk.row_count);
    if (from < to) rows.push(...(await chunkResult({ db, fileStore }, job, chunk, first, from, to)));
    first += chunk.row_count;
  }
  return { rows: await withIds(db, job, rows), count: first };
}

async function chunkResult(
  services: { readonly db: Db; readonly fileStore: FileStore },
  job: Job,
  chunk: JobChunk,
  first: number,
  from: number,
  to: number,
): Promise<RowResult[]> {
  const keyed = await keysOf(services, job, chunk);
  const outcomes = chunk.outcomes ?? '';
  const wanted = keyed.slice(from - first, to - first);
  const errors = await loadErrors(services.db, job.id, wanted[0]?.row ?? 0, wanted.at(-1)?.row ?? 0);
  return wanted.map(({ row, key }, position) => ({
    index: from + position,
    row,
    key,
    outcome: outcomes[from - first + position] ?? '-',
    id: null,
    errors: errors.get(row) ?? [],
  }));
}

async function keysOf(
  { db, fileStore }: { readonly db: Db; readonly fileStore: FileStore },
  job: Job,
  chunk: JobChunk,
): Promise<{ row: number; key: string | null }[]> {
  const plan = job.plan as unknown as InputPlan | null;
  const inline = job.input_file_id === null || plan === null;
  const headerCells = inline ? null : plan.headerCells;
  const kind = await loadKind(db, job, job.definitions_version ?? 0, headerCells);
  const source: SourceRows = inline
    ? { format: 'JSON', rows: await readInlineRows(db, job.id) }
    : parseChunk(await readChunk(db, fileStore, job, chunk, plan), chunk, plan);
  if (source.format === 'JSON') {
    return Array.from(source.rows, ({ row, element }) => ({ row, key: nameOrSku(element) }));
  }
  const column = kind.readHeader(headerCells ?? []);
  return Array.from(source.rows, ({ row, cells }) => ({ row, key: cells[column]?.trim() || null }));
}

function nameOrSku(element: unknown): string | null {
  if (typeof element !== 'object' || element === null) return null;
  const { sku, name } = element as { sku?: unknown; name?: unknown };
  const key = sku ?? name;
  return typeof key === 'string' ? key : null;
}

async function loadErrors(db: Db, jobId: string, from: number, to: number): Promise<Map<number, JobError[]>> {
  const rows: JobError[] = await db('job_error')
    .where({ job_id: jobId })
    .whereBetween('row_no', [from, to])
    .orderBy(['row_no', 'seq']);
  const byRow = new Map<number, JobError[]>();
  for (const error of rows) byRow.set(error.row_no, [...(byRow.get(error.row_no) ?? []), error]);
  return byRow;
}

/** Looks up what the keys of rows that did not fail stand for now. */
async function withIds(db: Db, job: Job, rows: readonly RowResult[]): Promise<RowResult[]> {
  const applied = rows
    .filter(({ outcome, key }) => key !== null && 'cun'.includes(outcome))
    .map(({ key }) => key ?? '');
  const ids =
    job.kind === 'item' ? await itemIds(db, job.site_id, applied) : await attributeIds(db, job.site_id, applied);
  const normalise = job.kind === 'item' ? normaliseSku : attributeKey;
  return rows.map((row) =>
    row.key === null || !'cun'.includes(row.outcome) ? row : { ...row, id: ids.get(normalise(row.key)) ?? null },
  );
}

async function itemIds(db: Db, siteId: number, skus: readonly string[]): Promise<Map<string, string>> {
  const result = await db.raw(
    `SELECT item.sku, item.row_no FROM jsonb_array_elements_text(?::jsonb) AS wanted (sku)
     CROSS JOIN LATERAL (SELECT sku, row_no FROM item WHERE site_id = ? AND sku = wanted.sku COLLATE "C" LIMIT 1) AS item`,
    [JSON.stringify(skus.map(normaliseSku)), siteId],
  );
  return new Map(result.rows.map((row: { sku: string; row_no: number }) => [row.sku, itemId(siteId, row.row_no)]));
}

async function attributeIds(db: Db, siteId: number, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('attribute')
    .where({ site_id: siteId })
    .whereIn('name_key', names.map(attributeKey))
    .select('id', 'name_key');
  return new Map(rows.map((row: { id: string; name_key: string }) => [row.name_key, row.id]));
}
