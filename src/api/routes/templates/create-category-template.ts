/** POST /category-import-templates */
import { z } from 'zod';
import { CATEGORY_COLUMNS } from '../../../domain/catalog/categories/category-columns.js';
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
  handle({ query: { locale } }) {
    return templateResponse(CATEGORY_COLUMNS, 'category-import-template', locale);
  },
});
