/** The type of job that writes items and bundles, from files and requests, and deletes them. */
import { defineJobType } from '../../jobs/job-type.js';
import { IMPORT_TYPE } from '../import-options.js';

export const ITEM_FILES = ['ITEM_IMPORT', 'PRODUCT_IMPORT', 'ITEM_VARIANT_IMPORT', 'BUNDLE_IMPORT'] as const;

export const ITEM_JOB = defineJobType({
  ...IMPORT_TYPE,
  kind: 'item',
  names: [...ITEM_FILES, 'ITEM_BULK_INSERT', 'ITEM_BULK_UPDATE', 'ITEM_BULK_UPSERT', 'ITEM_BULK_DELETE'],
  definitions: 'kept',
  // Only inserts among themselves may run beside each other: their order cannot be told from the outcome.
  isConcurrent: ({ mode }) => mode === 'insert',
  mayBeBatched: true,
  rowNaming: 'sku',
  result: 'items',
});
