/** The endpoints that export attributes, and those that export categories. */
import { defineRoute } from '../../define-route.js';
import {
  attributeFilterBody,
  categoryFilterBody,
  namedAttributesBody,
  namedCategoriesBody,
} from '../../export-body.js';
import { acceptExportOfChanges, acceptExportRequest, exportResponses, ofExports, REFUSED_SINCE } from './accept.js';
import { attributesExport, categoriesExport } from './specification.js';

export const exportNamedAttributesRoute = defineRoute({
  ...ofExports,
  path: '/jobs/attribute/actions/export',
  operationId: 'exportAttributes',
  summary: 'Export attributes by id or name',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  body: { schema: namedAttributesBody, example: { names: ['Title', 'Price'] } },
  responses: exportResponses,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});

export const exportFilteredAttributesRoute = defineRoute({
  ...ofExports,
  path: '/jobs/attribute/actions/filter-export',
  operationId: 'exportMatchingAttributes',
  summary: 'Export the attributes that match',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  body: { schema: attributeFilterBody, example: { match: { type: ['TEXT', 'DECIMAL'] } } },
  responses: exportResponses,
  refusals: REFUSED_SINCE,
  handle: (request, services) =>
    acceptExportOfChanges(request, services, (db, siteId, changes) =>
      attributesExport(db, siteId, request.body, changes),
    ),
});

export const exportNamedCategoriesRoute = defineRoute({
  ...ofExports,
  path: '/jobs/category/actions/export',
  operationId: 'exportCategories',
  summary: 'Export categories by id or node id',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  body: { schema: namedCategoriesBody, example: { nodeIds: [4] } },
  responses: exportResponses,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});

export const exportFilteredCategoriesRoute = defineRoute({
  ...ofExports,
  path: '/jobs/category/actions/filter-export',
  operationId: 'exportMatchingCategories',
  summary: 'Export the categories that match',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  body: { schema: categoryFilterBody, example: { match: { type: 'PRIMARY' } } },
  responses: exportResponses,
  refusals: REFUSED_SINCE,
  handle: (request, services) =>
    acceptExportOfChanges(request, services, (db, siteId, changes) =>
      categoriesExport(db, siteId, request.body, changes),
    ),
});
