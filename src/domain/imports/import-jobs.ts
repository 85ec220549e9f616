/** The job types that import rows, the file types that each of them imports, and how they begin. */
import type { Db } from '../../../db/connection.js';
import { inBatches } from '../../../db/in-batches.js';
import { Job } from '../../../db/models/job.js';
import { snapshotDefinitions, snapshotsOf } from '../catalog/definition-snapshot.js';
import { ATTRIBUTE_TYPE_NAMES } from '../catalog/model/attribute-definition.js';
import { STATUS_JOB } from '../catalog/status-job.js';
import type { BeginHooks } from '../jobs/begin-job.js';
import type { AcceptedType, DefinitionsUse, JobOf, JobTypes, LoadedJob } from '../jobs/model/job-type.js';
import { parseJob } from '../jobs/model/job-type.js';
import { attributeKey } from '../kernel/attribute-key.js';
import { isId } from '../kernel/identifier.js';
import { RejectedInput } from '../kernel/rejected-input.js';
import { ATTRIBUTE_FILES, ATTRIBUTE_JOB } from './attributes/attribute-job.js';
import { CATEGORY_FILES, CATEGORY_JOB } from './categories/category-job.js';
import type { ImportOptions } from './import-options.js';
import { HAS_ITEM_SUBSCRIBERS } from './items/emit-item-events.js';
import { ITEM_FILES, ITEM_JOB } from './items/item-job.js';

const TYPES = {
  [ITEM_JOB.kind]: ITEM_JOB,
  [ATTRIBUTE_JOB.kind]: ATTRIBUTE_JOB,
  [CATEGORY_JOB.kind]: CATEGORY_JOB,
  [STATUS_JOB.kind]: STATUS_JOB,
};
export type ImportJob = JobOf<typeof TYPES>;
export const IMPORT_JOBS: typeof TYPES & JobTypes<ImportJob> = TYPES;

/** Whether a job imports rows. */
export function isImportJob(job: LoadedJob): job is ImportJob {
  return job.kind in TYPES;
}

/** The types that a file can be announced as. */
export const IMPORT_FILES = [...ITEM_FILES, ...ATTRIBUTE_FILES, ...CATEGORY_FILES] as const;
type ImportFile = (typeof IMPORT_FILES)[number];

/** The job type that imports a file. */
export function typeOfFile(file: ImportFile): AcceptedType<string, ImportOptions> {
  const types: readonly AcceptedType<string, ImportOptions>[] = [ITEM_JOB, ATTRIBUTE_JOB, CATEGORY_JOB];
  const found = types.find(({ names }) => names.includes(file));
  if (found === undefined) throw new Error(`no job type imports ${file}`);
  return found;
}

/** The options of an earlier job of the site that imported rows of this kind; undefined when there is none. */
export async function optionsOfImport(
  db: Db,
  siteId: number,
  jobId: string,
  kind: string,
): Promise<ImportOptions | undefined> {
  const row = isId(jobId) ? await Job.query(db).findById(jobId).where({ site_id: siteId, kind }) : undefined;
  const job = row === undefined ? undefined : parseJob(IMPORT_JOBS, row);
  return job === undefined || !('mode' in job.options) ? undefined : job.options;
}

/** Deletes the records of items that were deleted so long ago that no earlier job is kept. @returns how many */
export function pruneDeletedItems(db: Db, retentionDays: number): Promise<number> {
  return inBatches(async (limit) => {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `DELETE FROM deleted_item WHERE (site_id, sku) IN (
         SELECT site_id, sku FROM deleted_item WHERE deleted_at < now() - ? * interval '1 day'
         LIMIT ? FOR UPDATE SKIP LOCKED)`,
      [retentionDays, limit],
    );
    return rowCount;
  });
}

/** The largest request that has priority over imports: so few rows, and values, that reading them hardly ever yields. */
const SMALL_ROWS = 50;
const SMALL_BYTES = 64 * 1024;

/** SQL: whether the site has an attribute whose values must be unique. */
const HAS_UNIQUE = `EXISTS (
  SELECT 1 FROM attribute
  WHERE attribute.site_id = job.site_id AND definition -> 'validation' -> 'unique' = 'true') AS has_unique`;

/** What an import needs as it begins: a snapshot of the definitions, and whether item events have subscribers. */
export const IMPORT_HOOKS: BeginHooks<ImportJob> = {
  types: IMPORT_JOBS,
  besides: `${HAS_UNIQUE}, ${HAS_ITEM_SUBSCRIBERS}`,
  // Inserts may reserve the same unique value. The earlier job has it, so that these inserts must run in order.
  runsAlone: (row) => 'has_unique' in row && row.has_unique === true,
  // Only jobs that apply the definitions need a snapshot; the others change them.
  fixDefinitions: async (trx, jobs) => {
    const siteIds = jobs.flatMap((job) => (job.jobType.definitions === 'kept' ? [job.site_id] : []));
    const versions = await snapshotsOf(trx, siteIds);
    return jobs.map((job) => versions.get(job.site_id) ?? 0);
  },
};

/** What is known of a job that is about to begin. */
interface PreparedJob {
  /** Empty: the job does not exist any more. */
  readonly accountId: string;
  readonly isFile: boolean;
  /** Whether it is so small that it should not wait while larger jobs are computed. */
  readonly small: boolean;
}

/**
 * Snapshots the definitions that a job is about to begin with, in a separate transaction: a snapshot made in the job's
 * own transaction would make every job of the site that begins meanwhile wait until that job ends.
 */
export async function prepareDefinitions(db: Db, jobId: string): Promise<PreparedJob> {
  const found = await db.raw(
    `SELECT job.site_id, job.account_id AS "accountId", job.input_file_id IS NOT NULL AS "isFile",
            job.kind IN (${jobTypesBy('kept')}) AND job.input_file_id IS NULL AND job.total_count <= ${SMALL_ROWS}
              AND (SELECT octet_length(input) FROM job_chunk WHERE job_id = job.id AND idx = 0 LIMIT 1) <= ${SMALL_BYTES} AS small,
            job.kind IN (${jobTypesBy('kept', 'present')}) AND job.started_at IS NULL AND kept.version IS NULL
              AND NOT ${DEFINITIONS_CHANGE} AS missing
     FROM job JOIN site ON site.id = job.site_id
     LEFT JOIN definition_snapshot AS kept ON kept.site_id = site.id AND kept.version = site.definitions_version
     WHERE job.id = ?`,
    [jobId],
  );
  const [job] = found.rows;
  if (job?.missing === true) await db.transaction((trx) => snapshotDefinitions(trx, job.site_id));
  return { accountId: job?.accountId ?? '', isFile: job?.isFile === true, small: job?.small === true };
}

/** SQL: the job types that use the definitions in one of these ways. */
function jobTypesBy(...uses: readonly DefinitionsUse[]): string {
  const types = Object.values(TYPES).filter(({ definitions }) => uses.includes(definitions));
  return types.map(({ kind }) => `'${kind}'`).join(', ');
}

/**
 * SQL: whether a job that changes definitions is running. Such a job may lock the site's row for long, and all other
 * jobs of the site wait for its end anyway. It is exclusive, so it is the first in the ordering queue.
 */
const DEFINITIONS_CHANGE = `EXISTS (
  SELECT 1 FROM (
    SELECT state, job_id FROM job_order
    WHERE job_order.site_id = job.site_id AND state <> 'e'
      AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = job.site_id), 0)
    ORDER BY position LIMIT 1) AS first
  JOIN LATERAL (SELECT kind FROM job AS other WHERE other.id = first.job_id LIMIT 1) AS other ON true
  WHERE first.state = 'r' AND other.kind IN (${jobTypesBy('changed')}))`;

// Files of the wrong type: items that were announced as attributes, and the like.

type Content = Exclude<ImportJob['kind'], 'status'>;

/** The column that identifies the rows of each type, and how such files are announced. */
const CONTENTS: Readonly<Record<Content, { readonly key: string; readonly rows: string; readonly fileType: string }>> =
  {
    item: { key: 'SKU', rows: 'items', fileType: 'ITEM_IMPORT' },
    attribute: { key: 'Attribute Title', rows: 'attributes', fileType: 'ATTRIBUTE_IMPORT' },
    category: { key: 'Category Path', rows: 'categories', fileType: 'CATEGORY_IMPORT' },
  };

type Announced = Pick<ImportJob, 'kind' | 'type'>;

/**
 * Reads a header. One that is refused, and identifies rows of another type, is refused for that.
 * @throws RejectedInput as `read` does, or WRONG_FORMAT
 */
export function readHeaderOf<T>(job: Announced, cells: readonly string[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    const keys = new Set(cells.map(attributeKey));
    const has = ({ key }: { readonly key: string }) => keys.has(attributeKey(key));
    if (!(error instanceof RejectedInput) || job.kind === 'status' || has(CONTENTS[job.kind])) throw error;
    const other = Object.values(CONTENTS).find(has);
    throw other === undefined ? error : otherRows(job, other, `its header has the column "${other.key}"`);
  }
}

/** @param element the first row of a JSON file @throws RejectedInput WRONG_FORMAT if it is plainly of another type */
export function refuseOtherElement(job: Announced, element: unknown): void {
  if (job.kind === 'status' || typeof element !== 'object' || element === null || Array.isArray(element)) return;
  const found = contentOf(element as Readonly<Record<string, unknown>>);
  if (found === undefined || found.content === job.kind) return;
  throw otherRows(job, CONTENTS[found.content], `its first element has ${found.members}`);
}

/** What an element plainly is; undefined when it could be several things, or nothing that is known. */
function contentOf({ sku, name, type, path }: Readonly<Record<string, unknown>>) {
  if (sku !== undefined) {
    return name === undefined && path === undefined
      ? { content: 'item' as const, members: 'the member "sku"' }
      : undefined;
  }
  if (path !== undefined) return { content: 'category' as const, members: 'the member "path"' };
  const isAttribute = name !== undefined && (ATTRIBUTE_TYPE_NAMES as readonly unknown[]).includes(type);
  return isAttribute ? { content: 'attribute' as const, members: `the type ${String(type)}` } : undefined;
}

function otherRows(
  { type }: Announced,
  { rows, fileType }: { readonly rows: string; readonly fileType: string },
  because: string,
): RejectedInput {
  const message = `The file was announced as ${type}, but it holds ${rows}: ${because}. Announce it with the fileType ${fileType}.`;
  return new RejectedInput('WRONG_FORMAT', message);
}
