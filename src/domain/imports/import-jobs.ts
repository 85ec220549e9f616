/** The types of jobs that take rows in, which of them files are announced as, and how they begin. */
import type { Db } from '../../../db/connection.js';
import { snapshotDefinitions } from '../catalog/definition-snapshot.js';
import { STATUS_JOB } from '../catalog/status-job.js';
import type { BeginHooks } from '../jobs/job-steps.js';
import type { AcceptedType, DefinitionsUse, JobOf, JobTypes, LoadedJob } from '../jobs/job-type.js';
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

/** Whether a job takes rows in. */
export function isImportJob(job: LoadedJob): job is ImportJob {
  return job.kind in TYPES;
}

/** What a file can be imported as. */
export const IMPORT_FILES = [...ITEM_FILES, ...ATTRIBUTE_FILES, ...CATEGORY_FILES] as const;
type ImportFile = (typeof IMPORT_FILES)[number];

/** The type of the job that imports a file. */
export function typeOfFile(file: ImportFile): AcceptedType<string, ImportOptions> {
  const types: readonly AcceptedType<string, ImportOptions>[] = [ITEM_JOB, ATTRIBUTE_JOB, CATEGORY_JOB];
  const found = types.find(({ names }) => names.includes(file));
  if (found === undefined) throw new Error(`no type of job imports ${file}`);
  return found;
}

/** Why anything else is no type that can be imported. */
export function unknownTypeMessage(): string {
  return `expected one of ${IMPORT_FILES.join(', ')}`;
}

/** Rows of a request that is carried out before imports go on: so few that reading them never pauses. */
const SMALL_ROWS = 50;

/** Whether an item is to have a value that no other has. */
const HAS_UNIQUE = `EXISTS (
  SELECT 1 FROM attribute
  WHERE attribute.site_id = job.site_id AND definition -> 'validation' -> 'unique' = 'true') AS has_unique`;

/** What a job that takes rows in needs as it begins: a snapshot of the definitions, and whether its items have subscribers. */
export const IMPORT_HOOKS: BeginHooks<ImportJob> = {
  types: IMPORT_JOBS,
  besides: `${HAS_UNIQUE}, ${HAS_ITEM_SUBSCRIBERS}`,
  // Inserts that may claim one unique value have an order after all: the earlier job has it.
  runsAlone: (row) => 'has_unique' in row && row.has_unique === true,
  // Other jobs change the definitions; only what goes by them needs them kept.
  fixDefinitions: async (trx, job) => (job.jobType.definitions === 'kept' ? snapshotDefinitions(trx, job.site_id) : 0),
};

/**
 * Snapshots the definitions that a job is about to begin with, in a transaction of its own: made in the job's, a new
 * snapshot would let all others of the site that begin meanwhile wait for that job's end.
 * @returns whether the job is small: it should not wait for others' computing
 */
export async function prepareDefinitions(db: Db, jobId: string): Promise<{ readonly small: boolean }> {
  const found = await db.raw(
    `SELECT job.site_id,
            job.kind IN (${jobTypesBy('kept')}) AND job.input_file_id IS NULL AND job.total_count <= ${SMALL_ROWS} AS small,
            job.kind IN (${jobTypesBy('kept', 'present')}) AND job.started_at IS NULL AND kept.version IS NULL
              AND NOT ${DEFINITIONS_CHANGE} AS missing
     FROM job JOIN site ON site.id = job.site_id
     LEFT JOIN definition_snapshot AS kept ON kept.site_id = site.id AND kept.version = site.definitions_version
     WHERE job.id = ?`,
    [jobId],
  );
  const [job] = found.rows;
  if (job?.missing === true) await db.transaction((trx) => snapshotDefinitions(trx, job.site_id));
  return { small: job?.small === true };
}

/** SQL: the types of jobs that have to do with the definitions in one of these ways. */
function jobTypesBy(...uses: readonly DefinitionsUse[]): string {
  const types = Object.values(TYPES).filter(({ definitions }) => uses.includes(definitions));
  return types.map(({ kind }) => `'${kind}'`).join(', ');
}

/**
 * A job that changes definitions holds the site's row, perhaps for long, and all others of the site wait for its end
 * anyway. It is exclusive, so it is the first of the order.
 */
const DEFINITIONS_CHANGE = `EXISTS (
  SELECT 1 FROM (
    SELECT state, job_id FROM job_order
    WHERE job_order.site_id = job.site_id AND state <> 'e'
      AND position >= coalesce((SELECT floor FROM job_order_floor WHERE job_order_floor.site_id = job.site_id), 0)
    ORDER BY position LIMIT 1) AS first
  JOIN LATERAL (SELECT kind FROM job AS other WHERE other.id = first.job_id LIMIT 1) AS other ON true
  WHERE first.state = 'r' AND other.kind IN (${jobTypesBy('changed')}))`;
