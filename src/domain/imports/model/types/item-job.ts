/** The job type that writes items and bundles, from files and requests, and deletes them. */
import { defineJobType } from '../../../job-model/job-type.js';
import { IMPORT_TYPE } from './import-type.js';

export const ITEM_FILES = ['ITEM_IMPORT', 'PRODUCT_IMPORT', 'ITEM_VARIANT_IMPORT', 'BUNDLE_IMPORT'] as const;

export const ITEM_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'item',
  names: [...ITEM_FILES, 'ITEM_BULK_INSERT', 'ITEM_BULK_UPDATE', 'ITEM_BULK_UPSERT', 'ITEM_BULK_DELETE'],
  definitions: 'kept',
  // Only inserts may run concurrently with each other, because their order does not affect the outcome. Those that
  // create definitions affect what the others find, and what a snapshot lacks may be what the others insert.
  isConcurrent: ({ mode, missing, snapshot }) => mode === 'insert' && missing === undefined && snapshot === undefined,
  // What a snapshot lacks is removed by a step of its own.
  mayBeBatched: ({ snapshot }) => snapshot === undefined,
  rowNaming: 'sku',
  result: 'items',
});
