/** The endpoints of import templates. */
import type { Context } from 'koa';
import { z } from 'zod';
import type { SiteContext } from '../../domain/access/site-context.js';
import {
  attributeTemplateColumns,
  categoryTemplateColumns,
} from '../../domain/catalog/templates/definition-templates.js';
import { bundleTemplateColumns, itemTemplateColumns } from '../../domain/catalog/templates/item-template.js';
import { categoryReference } from '../category-reference.js';
import type { ApiResponse, Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import type { ApiServices } from '../services.js';
import { clientGone } from '../waiting-client.js';
import {
  escapeFormulas,
  templateFormat,
  templateQuery,
  templateResponse,
  templateResponses,
} from './templates/common.js';

const ofTemplates = {
  method: 'POST',
  family: 'files',
  tag: 'Templates',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  responses: templateResponses,
} as const;

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
  ...ofTemplates,
  path: '/item-import-templates',
  operationId: 'getItemTemplate',
  summary: 'Get the import template for items',
  description:
    'The template has a column for each attribute of the category, which must be a leaf, or without a category for each attribute of the site.',
  body: { schema: categoryTemplateBody, required: false, example: { categoryId: 4 } },
  refusals: { 422: 'The template would have more columns than a file may have' },
  handle: (request, services) =>
    categoryTemplate(request, services, itemTemplateColumns, { name: 'item-import-template', sheetName: 'Items' }),
});

const createBundleTemplateRoute = defineRoute({
  ...ofTemplates,
  path: '/bundle-import-templates',
  operationId: 'getBundleTemplate',
  summary: 'Get the import template for bundles',
  description:
    'The template has a column for each attribute of the category, which must be a leaf, or without a category for each attribute of the site. The column `Items` lists the items of the bundle: `SKU-1:2;SKU-2:1`.',
  body: { schema: categoryTemplateBody, required: false, example: { categoryId: 4 } },
  refusals: { 422: 'The template would have more columns than a file may have' },
  handle: (request, services) =>
    categoryTemplate(request, services, bundleTemplateColumns, {
      name: 'bundle-import-template',
      sheetName: 'Bundles',
    }),
});

const createAttributeTemplateRoute = defineRoute({
  ...ofTemplates,
  path: '/attribute-import-templates',
  operationId: 'getAttributeTemplate',
  summary: 'Get the import template for attributes',
  description:
    'A file with the header of an attribute file, to be filled in and imported as `ATTRIBUTE_IMPORT`: CSV, or a workbook with `format: XLSX`.',
  body: { schema: z.strictObject({ format: templateFormat }), required: false, example: { format: 'XLSX' } },
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
  ...ofTemplates,
  path: '/category-import-templates',
  operationId: 'getCategoryTemplate',
  summary: 'Get the import template for categories',
  description:
    'A file with the header of a category file, to be filled in and imported as `CATEGORY_IMPORT`: CSV, or a workbook with `format: XLSX`.',
  body: { schema: z.strictObject({ format: templateFormat }), required: false, example: { format: 'XLSX' } },
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

interface CategoryTemplateRequest {
  readonly body: z.output<typeof categoryTemplateBody> | undefined;
  readonly query: z.output<typeof templateQuery>;
  readonly site: SiteContext;
  readonly koa: Context;
}

/** A template whose columns are the attributes of a category, of which there may be thousands. */
async function categoryTemplate(
  { body: asked, query: { locale }, site, koa }: CategoryTemplateRequest,
  { db, templatePermits }: ApiServices,
  columnsOf: typeof itemTemplateColumns,
  names: { readonly name: string; readonly sheetName: string },
): Promise<ApiResponse> {
  const permit = await templatePermits.take(site.accountId, site.accountId, clientGone(koa.res));
  try {
    const category = asked?.categoryId ?? asked?.nodeId ?? null;
    const columns = await columnsOf(db, site.siteId, category, locale);
    return await templateResponse({
      columns,
      ...names,
      format: asked?.format,
      escapeFormulas: asked?.escapeFormulas,
      locale,
    });
  } finally {
    permit.leave();
  }
}

export const templateRoutes: readonly Route[] = [
  createItemTemplateRoute,
  createBundleTemplateRoute,
  createAttributeTemplateRoute,
  createCategoryTemplateRoute,
];
