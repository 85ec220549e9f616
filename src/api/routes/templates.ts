/** The endpoints of import templates. */
import { z } from 'zod';
import {
  attributeTemplateColumns,
  categoryTemplateColumns,
} from '../../domain/catalog/templates/definition-templates.js';
import { bundleTemplateColumns, itemTemplateColumns } from '../../domain/catalog/templates/item-template.js';
import { FILE_FORMATS, writtenContentTypeOf } from '../../domain/formats/file-format.js';
import type { XlsxColumn } from '../../domain/formats/xlsx/xlsx-column.js';
import { categoryReference } from '../category-reference.js';
import type { ApiResponse, ResponseSpec, Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';

// What the template operations share: their formats, and their answer.

const templateFormat = z.enum(['CSV', 'XLSX']).default('CSV');
const escapeFormulas = z.boolean().optional().meta({
  description:
    'CSV: puts an apostrophe before headers that a spreadsheet would execute as formulas. An import does not know such a header',
});
type TemplateFormat = z.output<typeof templateFormat>;

const templateQuery = z.strictObject({
  locale: z
    .string()
    .regex(/^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/, 'expected a locale such as de or de-DE')
    .optional()
    .meta({
      description:
        'The headers use the names of attributes in this language, if they are unambiguous; imports read either name',
    }),
});

const templateResponses: Record<200, ResponseSpec> = {
  200: {
    description: 'A CSV file in UTF-8 with a byte order mark, or a workbook (XLSX)',
    schema: z.string(),
    contentType: writtenContentTypeOf({ format: 'CSV', gzip: false }),
  },
};

/** The content of a template, and the name of its file. */
interface Template {
  readonly columns: readonly XlsxColumn[];
  /** The file name without its ending. */
  readonly name: string;
  readonly sheetName: string;
  readonly format: TemplateFormat | undefined;
  readonly locale: string | undefined;
  readonly escapeFormulas?: boolean | undefined;
}

/** The file as a download. */
async function templateResponse(template: Template): Promise<ApiResponse> {
  const { columns, name, sheetName, format = 'CSV', locale, escapeFormulas } = template;
  const suffix = locale === undefined ? '' : `-${locale}`;
  const { extensions, writeTemplate } = FILE_FORMATS[format];
  return {
    status: 200,
    body: await writeTemplate(columns, sheetName, escapeFormulas),
    headers: {
      'Content-Type': writtenContentTypeOf({ format, gzip: false }),
      'Content-Disposition': `attachment; filename="${name}${suffix}.${extensions[0]}"`,
    },
  };
}

// The body of requests for the templates of items and bundles.

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
