/** The job type that defines categories, from files and requests. */
import { defineJobType } from '../../../job-model/job-type.js';
import { IMPORT_TYPE } from './import-type.js';

export const CATEGORY_FILES = ['CATEGORY_IMPORT'] as const;

export const CATEGORY_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'category',
  names: [...CATEGORY_FILES, 'CATEGORY_BULK_UPSERT'],
  definitions: 'changed',
  isConcurrent: () => false,
  rowNaming: 'place',
  result: 'categories',
});
