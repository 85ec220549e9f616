/** GET /api-product/v1/product/attribute/mapping */
import { z } from 'zod';
import { listAttributeMappings } from '../../../domain/catalog/attributes/list-attribute-mappings.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import { attributeMappingSchema, presentAttributeMapping } from '../../presenters/present-attribute-mapping.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

export const listAttributeMappingsRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/attribute/mapping',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'List the attribute mapping',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.object(pageParameters),
  responses: { 200: { description: 'The mappings, `sku` first', schema: pageSchema(attributeMappingSchema) } },
  async handle({ query: { offset, limit }, site }, { db }) {
    const mapped = await listAttributeMappings(db, site.siteId);
    const page = { rows: mapped.slice(offset, offset + limit), count: mapped.length };
    return { status: 200, body: presentPage(page, { offset, limit }, presentAttributeMapping) };
  },
});
