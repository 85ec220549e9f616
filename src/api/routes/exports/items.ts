/** The endpoints that export items, and those that export bundles. */
import { defineRoute } from '../../define-route.js';
import { itemFilterBody, namedItemsBody } from '../../export-body.js';
import { acceptExportOfChanges, acceptExportRequest, exportResponses, ofExports, REFUSED_SINCE } from './accept.js';
import { filteredItemsExport, namedItemsExport } from './specification.js';

export const exportNamedItemsRoute = defineRoute({
  ...ofExports,
  path: '/jobs/product/actions/export',
  operationId: 'exportItems',
  summary: 'Export items by id or SKU',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  body: { schema: namedItemsBody, example: { skus: ['DISK-1'] } },
  responses: exportResponses,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'product', request.body)),
});

export const exportFilteredItemsRoute = defineRoute({
  ...ofExports,
  path: '/jobs/product/actions/filter-export',
  operationId: 'exportMatchingItems',
  summary: 'Export the items that match',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  body: { schema: itemFilterBody, example: { match: { status: 'LIVE' }, format: 'JSONL' } },
  responses: exportResponses,
  refusals: REFUSED_SINCE,
  handle: (request, services) =>
    acceptExportOfChanges(request, services, (db, siteId, changes) =>
      filteredItemsExport(db, siteId, 'product', request.body, changes),
    ),
});

export const exportNamedBundlesRoute = defineRoute({
  ...ofExports,
  path: '/jobs/bundle/actions/export',
  operationId: 'exportBundles',
  summary: 'Export bundles by id or SKU',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  body: { schema: namedItemsBody, example: { skus: ['SET-1'] } },
  responses: exportResponses,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'bundle', request.body)),
});

export const exportFilteredBundlesRoute = defineRoute({
  ...ofExports,
  path: '/jobs/bundle/actions/filter-export',
  operationId: 'exportMatchingBundles',
  summary: 'Export the bundles that match',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  body: { schema: itemFilterBody, example: { match: { status: 'LIVE' } } },
  responses: exportResponses,
  refusals: REFUSED_SINCE,
  handle: (request, services) =>
    acceptExportOfChanges(request, services, (db, siteId, changes) =>
      filteredItemsExport(db, siteId, 'bundle', request.body, changes),
    ),
});
