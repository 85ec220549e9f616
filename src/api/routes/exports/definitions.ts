/** The endpoints that export attributes, and those that export categories. */
import { defineRoute } from '../../define-route.js';
import {
  attributeFilterBody,
  categoryFilterBody,
  namedAttributesBody,
  namedCategoriesBody,
} from '../../export-body.js';
import { acceptExportRequest, exportResponses } from './accept.js';
import { attributesExport, categoriesExport } from './specification.js';

export const exportNamedAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/export',
  operationId: 'exportAttributes',
  family: 'files',
  tag: 'Exports',
  summary: 'Export attributes by id or name',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedAttributesBody, example: { names: ['Title', 'Price'] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});

export const exportFilteredAttributesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/attribute/actions/filter-export',
  operationId: 'exportMatchingAttributes',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the attributes that match',
  description: 'Attributes are ordered by position, and written with their whole definition.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: attributeFilterBody, example: { match: { type: ['TEXT', 'DECIMAL'] } } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => attributesExport(db, siteId, request.body)),
});

export const exportNamedCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/export',
  operationId: 'exportCategories',
  family: 'files',
  tag: 'Exports',
  summary: 'Export categories by id or node id',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: namedCategoriesBody, example: { nodeIds: [4] } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});

export const exportFilteredCategoriesRoute = defineRoute({
  method: 'POST',
  path: '/jobs/category/actions/filter-export',
  operationId: 'exportMatchingCategories',
  family: 'files',
  tag: 'Exports',
  summary: 'Export the categories that match',
  description: 'Parents come first. Each category is written with the attributes that it assigns itself.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  body: { schema: categoryFilterBody, example: { match: { type: 'PRIMARY' } } },
  responses: exportResponses,
  audit: 'EXPORT_REQUESTED',
  idempotent: true,
  prefersWait: true,
  handle: (request, services) =>
    acceptExportRequest(request, services, (db, { siteId }) => categoriesExport(db, siteId, request.body)),
});
