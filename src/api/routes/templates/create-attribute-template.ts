/** POST /attribute-import-templates */
import { z } from 'zod';
import { attributeTemplateColumns } from '../../../domain/catalog/templates/item-template.js';
import { defineRoute } from '../../define-route.js';
import { templateFormat, templateQuery, templateResponse, templateResponses } from './template-request.js';

export const createAttributeTemplateRoute = defineRoute({
  method: 'POST',
  path: '/attribute-import-templates',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for attributes',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: z.object({ format: templateFormat }), required: false },
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
