/** POST /item-import-templates */
import { z } from 'zod';
import { itemTemplateHeader } from '../../../domain/catalog/templates/item-template.js';
import { categoryReference } from '../../category-reference.js';
import { defineRoute } from '../../define-route.js';
import { templateFormat, templateQuery, templateResponse, templateResponses } from './template-request.js';

const body = z
  .object({ categoryId: categoryReference.nullish(), nodeId: categoryReference.nullish(), format: templateFormat })
  .refine(({ categoryId, nodeId }) => !(categoryId && nodeId), {
    path: ['nodeId'],
    message: 'name the category by "categoryId" or by "nodeId", and not by both',
  });

export const createItemTemplateRoute = defineRoute({
  method: 'POST',
  path: '/item-import-templates',
  family: 'files',
  tag: 'Templates',
  summary: 'Get the import template for items',
  description: 'One column an attribute of the category, which must be a leaf; without a category, of the site.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: templateQuery,
  body: { schema: body, required: false },
  responses: templateResponses,
  async handle({ body: asked, query: { locale }, site }, { db }) {
    const category = asked?.categoryId ?? asked?.nodeId ?? null;
    return templateResponse(await itemTemplateHeader(db, site.siteId, category), 'item-import-template', locale);
  },
});
