/** GET /api-product/v1/product/attribute */
import { z } from 'zod';
import { ATTRIBUTE_TYPE_NAMES } from '../../../domain/catalog/attribute-definition.js';
import { listAttributes } from '../../../domain/catalog/attributes/list-attributes.js';
import { presentAttribute } from '../../../domain/catalog/attributes/present-attribute.js';
import { definitionFromColumns } from '../../../domain/catalog/definition-snapshot.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters, searchText, textList } from '../../list-query.js';
import { attributeSchema } from '../../presenters/attribute-schema.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const query = z.object({
  ids: textList.optional(),
  names: textList.optional(),
  type: z.enum(ATTRIBUTE_TYPE_NAMES).optional(),
  keyword: searchText.optional().meta({ description: 'A part of the name or of the description' }),
  ...pageParameters,
});

export const listAttributesRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/attribute',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'List attributes',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query,
  responses: { 200: { description: 'Attributes ordered by position', schema: pageSchema(attributeSchema) } },
  async handle({ query: { ids, names, type, keyword, offset, limit }, site }, { db }) {
    const page = await listAttributes(db, site, { ids, names, type, keyword }, { offset, limit });
    return {
      status: 200,
      body: presentPage(page, { offset, limit }, (row) =>
        presentAttribute(definitionFromColumns(row), row.created_at, row.updated_at),
      ),
    };
  },
});
