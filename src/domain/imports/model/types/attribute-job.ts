/** The job type that defines attributes, from files and requests. */
import { defineJobType } from '../../../job-model/job-type.js';
import { IMPORT_TYPE } from './import-type.js';

export const ATTRIBUTE_FILES = ['ATTRIBUTE_IMPORT'] as const;

export const ATTRIBUTE_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'attribute',
  names: [...ATTRIBUTE_FILES, 'ATTRIBUTE_BULK'],
  definitions: 'changed',
  isConcurrent: () => false,
  rowNaming: 'name',
  result: 'attributes',
});
