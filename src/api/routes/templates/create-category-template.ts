/** POST /category-import-templates */
import { z } from 'zod';
import { categoryTemplateColumns } from '../../../domain/catalog/templates/item-template.js';
import { defineRoute } from '../../define-route.js';
import { templateFormat, templateQuery, templateResponse, templateResponses } from './template-request.js';

export const createCategoryTemplateRoute = defineRoute({
  method: 'POST',
  path: '/category-import-templates',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for categories',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: z.object({ format: templateFormat }), required: false },
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
