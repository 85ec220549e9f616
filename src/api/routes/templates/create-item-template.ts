/** POST /item-import-templates */
import { itemTemplateColumns } from '../../../domain/catalog/templates/item-template.js';
import { defineRoute } from '../../define-route.js';
import { categoryTemplateBody } from './category-template-body.js';
import { templateQuery, templateResponse, templateResponses } from './template-request.js';

export const createItemTemplateRoute = defineRoute({
  method: 'POST',
  path: '/item-import-templates',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for items',
  description:
    'The template has a column for each attribute of the category, which must be a leaf, or without a category for each attribute of the site.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: categoryTemplateBody, required: false },
  responses: templateResponses,
  async handle({ body: asked, query: { locale }, site }, { db }) {
    const category = asked?.categoryId ?? asked?.nodeId ?? null;
    const columns = await itemTemplateColumns(db, site.siteId, category, locale);
    return templateResponse({
      columns,
      name: 'item-import-template',
      sheetName: 'Items',
      format: asked?.format,
      locale,
    });
  },
});
