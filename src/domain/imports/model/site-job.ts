/** The job type that imports the archive of a whole stage: as a whole or not at all. Its rows are the items. */
import { defineJobType } from '../../job-model/job-type.js';
import { IMPORT_TYPE } from './types/import-type.js';

export const SITE_FILES = ['SITE_IMPORT'] as const;

export const SITE_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'site',
  names: [...SITE_FILES],
  // It has no use for a snapshot of those that it replaces, and makes one of its own in its transaction.
  definitions: 'changed',
  isAtomic: () => true,
  isConcurrent: () => false,
  rowNaming: 'sku',
  result: 'items',
});
