/** POST /bundle-import-templates */
import { bundleTemplateColumns } from '../../../domain/catalog/templates/item-template.js';
import { defineRoute } from '../../define-route.js';
import { categoryTemplateBody } from './category-template-body.js';
import { templateQuery, templateResponse, templateResponses } from './template-request.js';

export const createBundleTemplateRoute = defineRoute({
  method: 'POST',
  path: '/bundle-import-templates',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for bundles',
  description:
    'The template has a column for each attribute of the category, which must be a leaf, or without a category for each attribute of the site. The column `Items` lists the items of the bundle: `SKU-1:2;SKU-2:1`.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: categoryTemplateBody, required: false },
  responses: templateResponses,
  async handle({ body: asked, query: { locale }, site }, { db }) {
    const category = asked?.categoryId ?? asked?.nodeId ?? null;
    const columns = await bundleTemplateColumns(db, site.siteId, category, locale);
    return templateResponse({
      columns,
      name: 'bundle-import-template',
      sheetName: 'Bundles',
      format: asked?.format,
      locale,
    });
  },
});
