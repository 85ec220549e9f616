/** The endpoints that insert, update and upsert items in bulk. */
import { IMPORT_JOBS } from '../../../domain/imports/model/import-jobs.js';
import { acceptBulk, bulkBody, ofBulk } from '../../accept-bulk.js';
import { bulkOptions, wholeBulkQuery } from '../../bulk-query.js';
import { defineRoute } from '../../define-route.js';
import { BULK_RESPONSES } from '../../presenters/result-schemas.js';
import { itemElementSchema } from './element-schema.js';

export const bulkInsertItemsRoute = defineRoute({
  ...ofBulk,
  query: wholeBulkQuery,
  path: '/api-product/v1/product/bulk/insert',
  operationId: 'insertItems',
  tag: 'Items',
  summary: 'Insert items in bulk',
  description:
    'Creates items. A row with the SKU of an existing item fails. Of several rows with the same SKU the first is applied.',
  body: bulkBody(itemElementSchema, [
    { sku: 'DISK-1', nodeName: 'Storage->Disk', attributes: { Title: 'Disk 2 TB', Price: '89.90' } },
  ]),
  responses: BULK_RESPONSES.items,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_INSERT',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('insert', request.query),
    }),
});

export const bulkUpsertItemsRoute = defineRoute({
  ...ofBulk,
  query: wholeBulkQuery,
  path: '/api-product/v1/product/bulk/upsert',
  operationId: 'upsertItems',
  tag: 'Items',
  summary: 'Upsert items in bulk',
  description:
    'Creates items or changes them. Attributes that a row names are set, null clears them, and all others stay.',
  body: bulkBody(itemElementSchema, [
    { sku: 'DISK-2', nodeName: 'Storage->Disk', attributes: { Title: 'Disk 4 TB' } },
    {
      sku: 'SET-1',
      nodeName: 'Storage->Disk',
      attributes: { Title: 'Two disks' },
      bundleItems: [{ sku: 'DISK-1', quantity: 2 }],
    },
  ]),
  responses: BULK_RESPONSES.items,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_UPSERT',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('upsert', request.query),
    }),
});

export const bulkUpdateItemsRoute = defineRoute({
  ...ofBulk,
  path: '/api-product/v1/product/bulk/update',
  operationId: 'updateItems',
  tag: 'Items',
  summary: 'Update items in bulk',
  description: 'Changes items. A row with a SKU that does not exist fails.',
  body: bulkBody(itemElementSchema, [{ sku: 'DISK-2', attributes: { Price: '139.90' } }]),
  responses: BULK_RESPONSES.items,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ITEM_BULK_UPDATE',
      jobType: IMPORT_JOBS.item,
      options: bulkOptions('update', request.query),
    }),
});
