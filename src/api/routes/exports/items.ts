/** The endpoints that export items, and those that export bundles. */
import { defineRoute } from '../../define-route.js';
import { itemFilterBody, namedItemsBody } from '../../export-body.js';
import { acceptExportRequest, exportResponses } from './accept.js';
import { filteredItemsExport, namedItemsExport, wantedChanges } from './specification.js';

export const exportNamedItemsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/product/actions/export',
  operationId: 'exportItems',
  family: 'files',
  tag: 'Exports',
  summary: 'Export items by id or SKU',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody, example: { skus: ['DISK-1'] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'product', request.body)),
});

export const exportFilteredItemsRoute = defineRoute({
  method: 'POST',
  path: '/jobs/product/actions/filter-export',
  operationId: 'exportMatchingItems',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the items that match',
  description: 'Items are ordered by SKU in byte order, and written in the columns that an import reads.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: itemFilterBody, example: { match: { status: 'LIVE' }, format: 'JSONL' } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  refusals: { 410: 'Changes since then are no longer kept: export everything once' },
  async handle(request, services) {
    const changes = await wantedChanges(services.db, request.site.siteId, request.body.since);
    return acceptExportRequest(request, services, (db, { siteId }) =>
      filteredItemsExport(db, siteId, 'product', request.body, changes),
    );
  },
});

export const exportNamedBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/export',
  operationId: 'exportBundles',
  family: 'files',
  tag: 'Exports',
  summary: 'Export bundles by id or SKU',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedItemsBody, example: { skus: ['SET-1'] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => namedItemsExport(db, siteId, 'bundle', request.body)),
});

export const exportFilteredBundlesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/bundle/actions/filter-export',
  operationId: 'exportMatchingBundles',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the bundles that match',
  description: 'Bundles are ordered by SKU in byte order, and written with their items.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: itemFilterBody, example: { match: { status: 'LIVE' } } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  refusals: { 410: 'Changes since then are no longer kept: export everything once' },
  async handle(request, services) {
    const changes = await wantedChanges(services.db, request.site.siteId, request.body.since);
    return acceptExportRequest(request, services, (db, { siteId }) =>
      filteredItemsExport(db, siteId, 'bundle', request.body, changes),
    );
  },
});
