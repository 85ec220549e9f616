/** The endpoints of import templates. */
import { z } from 'zod';
import {
  attributeTemplateColumns,
  categoryTemplateColumns,
} from '../../domain/catalog/templates/definition-templates.js';
import { bundleTemplateColumns, itemTemplateColumns } from '../../domain/catalog/templates/item-template.js';
import { categoryReference } from '../category-reference.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import {
  escapeFormulas,
  templateFormat,
  templateQuery,
  templateResponse,
  templateResponses,
} from './templates/common.js';

/** The body of requests for the templates of items and bundles. */
const categoryTemplateBody = z
  .strictObject({
    categoryId: categoryReference.optional(),
    nodeId: categoryReference.optional(),
    format: templateFormat,
    escapeFormulas,
  })
  .refine(({ categoryId, nodeId }) => !(categoryId && nodeId), {
    path: ['nodeId'],
    message: 'name the category by "categoryId" or by "nodeId", and not by both',
  });

const createItemTemplateRoute = defineRoute({
  method: 'POST',
  path: '/item-import-templates',
  operationId: 'getItemTemplate',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for items',
  description:
    'The template has a column for each attribute of the category, which must be a leaf, or without a category for each attribute of the site.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: categoryTemplateBody, required: false, example: { categoryId: 4 } },
  refusals: { 422: 'The template would have more columns than a file may have' },
  responses: templateResponses,
  async handle({ body: asked, query: { locale }, site }, { db }) {
    const category = asked?.categoryId ?? asked?.nodeId ?? null;
    const columns = await itemTemplateColumns(db, site.siteId, category, locale);
    return templateResponse({
      columns,
      name: 'item-import-template',
      sheetName: 'Items',
      format: asked?.format,
      escapeFormulas: asked?.escapeFormulas,
      locale,
    });
  },
});

const createBundleTemplateRoute = defineRoute({
  method: 'POST',
  path: '/bundle-import-templates',
  operationId: 'getBundleTemplate',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for bundles',
  description:
    'The template has a column for each attribute of the category, which must be a leaf, or without a category for each attribute of the site. The column `Items` lists the items of the bundle: `SKU-1:2;SKU-2:1`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: categoryTemplateBody, required: false, example: { categoryId: 4 } },
  refusals: { 422: 'The template would have more columns than a file may have' },
  responses: templateResponses,
  async handle({ body: asked, query: { locale }, site }, { db }) {
    const category = asked?.categoryId ?? asked?.nodeId ?? null;
    const columns = await bundleTemplateColumns(db, site.siteId, category, locale);
    return templateResponse({
      columns,
      name: 'bundle-import-template',
      sheetName: 'Bundles',
      format: asked?.format,
      escapeFormulas: asked?.escapeFormulas,
      locale,
    });
  },
});

const createAttributeTemplateRoute = defineRoute({
  method: 'POST',
  path: '/attribute-import-templates',
  operationId: 'getAttributeTemplate',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for attributes',
  description:
    'A file with the header of an attribute file, to be filled in and imported as `ATTRIBUTE_IMPORT`: CSV, or a workbook with `format: XLSX`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: z.strictObject({ format: templateFormat }), required: false, example: { format: 'XLSX' } },
  responses: templateResponses,
  handle({ body: asked, query: { locale } }) {
    const columns = attributeTemplateColumns();
    return templateResponse({
      columns,
      name: 'attribute-import-template',
      sheetName: 'Attributes',
      format: asked?.format,
      locale,
    });
  },
});

const createCategoryTemplateRoute = defineRoute({
  method: 'POST',
  path: '/category-import-templates',
  operationId: 'getCategoryTemplate',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for categories',
  description:
    'A file with the header of a category file, to be filled in and imported as `CATEGORY_IMPORT`: CSV, or a workbook with `format: XLSX`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: z.strictObject({ format: templateFormat }), required: false, example: { format: 'XLSX' } },
  responses: templateResponses,
  handle({ body: asked, query: { locale } }) {
    const columns = categoryTemplateColumns();
    return templateResponse({
      columns,
      name: 'category-import-template',
      sheetName: 'Categories',
      format: asked?.format,
      locale,
    });
  },
});

export const templateRoutes: readonly Route[] = [
  createItemTemplateRoute,
  createBundleTemplateRoute,
  createAttributeTemplateRoute,
  createCategoryTemplateRoute,
];
