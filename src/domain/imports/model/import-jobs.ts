/** The job types that import rows, and the file types that each of them imports. */
import { STATUS_JOB } from '../../catalog/status-job.js';
import type { AcceptedType, JobOf, JobTypes } from '../../job-model/job-type.js';
import type { ImportOptions } from './import-options.js';
import { PROMOTE_JOB } from './promote-job.js';
import { SITE_FILES, SITE_JOB } from './site-job.js';
import { ATTRIBUTE_FILES, ATTRIBUTE_JOB } from './types/attribute-job.js';
import { CATEGORY_FILES, CATEGORY_JOB } from './types/category-job.js';
import { ITEM_FILES, ITEM_JOB } from './types/item-job.js';
import { REVERT_JOB } from './types/revert-job.js';

const TYPES = {
  [ITEM_JOB.kind]: ITEM_JOB,
  [ATTRIBUTE_JOB.kind]: ATTRIBUTE_JOB,
  [CATEGORY_JOB.kind]: CATEGORY_JOB,
  [STATUS_JOB.kind]: STATUS_JOB,
  [REVERT_JOB.kind]: REVERT_JOB,
  [SITE_JOB.kind]: SITE_JOB,
  [PROMOTE_JOB.kind]: PROMOTE_JOB,
};
export type ImportJob = JobOf<typeof TYPES>;
export const IMPORT_JOBS: typeof TYPES & JobTypes<ImportJob> = TYPES;

/** The types that a file can be announced as. */
export const IMPORT_FILES = [...ITEM_FILES, ...ATTRIBUTE_FILES, ...CATEGORY_FILES, ...SITE_FILES] as const;
type ImportFile = (typeof IMPORT_FILES)[number];

/** The job type that imports a file. */
export function typeOfFile(file: ImportFile): AcceptedType<string, ImportOptions> {
  const types: readonly AcceptedType<string, ImportOptions>[] = [ITEM_JOB, ATTRIBUTE_JOB, CATEGORY_JOB, SITE_JOB];
  const found = types.find(({ names }) => names.includes(file));
  if (found === undefined) throw new Error(`no job type imports ${file}`);
  return found;
}
