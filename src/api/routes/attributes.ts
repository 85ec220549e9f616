/** The endpoints of attributes and of the attribute mapping. */
import { z } from 'zod';
import { definitionFromColumns } from '../../domain/catalog/attribute-record.js';
import { attributeInputSchema } from '../../domain/catalog/attributes/attribute-input.js';
import { listAttributes } from '../../domain/catalog/attributes/list-attributes.js';
import { presentAttribute } from '../../domain/catalog/attributes/present-attribute.js';
import { ATTRIBUTE_TYPE_NAMES } from '../../domain/catalog/model/attribute-definition.js';
import { IMPORT_JOBS } from '../../domain/imports/model/import-jobs.js';
import { acceptBulk, bulkBody, ofBulk } from '../accept-bulk.js';
import { bulkOptions } from '../bulk-query.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters, searchText, textList } from '../list-query.js';
import { attributeSchema } from '../presenters/attribute-schema.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';
import { BULK_RESPONSES } from '../presenters/result-schemas.js';
import { listAttributeMappingsRoute, setAttributeMappingsRoute } from './attributes/mappings.js';

const elementSchema = attributeInputSchema.meta({
  id: 'AttributeInput',
  examples: [{ action: 'CREATE', name: 'Title', type: 'TEXT', validation: { required: true, maxLength: 120 } }],
});

const bulkAttributesRoute = defineRoute({
  ...ofBulk,
  path: '/api-product/v1/product/attribute/bulk',
  operationId: 'createAttributes',
  tag: 'Attributes',
  summary: 'Create, update and delete attributes in bulk',
  description:
    'Elements take effect in order. CREATE with the name of an existing attribute replaces it and keeps its id. Of several elements with the same action and the same name the last wins, and the others fail.',
  body: bulkBody(elementSchema, [
    { action: 'CREATE', name: 'Title', type: 'TEXT', validation: { maxLength: 120 } },
    { action: 'CREATE', name: 'Price', type: 'DECIMAL', validation: { range: { min: 0 } } },
  ]),
  audit: 'ATTRIBUTES_CHANGED',
  responses: BULK_RESPONSES.attributes,
  handle: (request, services) =>
    acceptBulk(request, services, {
      type: 'ATTRIBUTE_BULK',
      jobType: IMPORT_JOBS.attribute,
      options: bulkOptions('upsert', request.query),
      audited: true,
    }),
});

const query = z.strictObject({
  ids: textList.optional(),
  names: textList.optional(),
  type: z.enum(ATTRIBUTE_TYPE_NAMES).optional(),
  keyword: searchText.optional().meta({ description: 'A part of the name or of the description' }),
  ...pageParameters,
});

const listAttributesRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/attribute',
  operationId: 'listAttributes',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'List attributes',
  description:
    'All attributes of the data set, a page at a time. The parameters narrow the list: by ids, names, type, or a part of the name or of the description.',
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

export const attributeRoutes: readonly Route[] = [
  bulkAttributesRoute,
  listAttributesRoute,
  setAttributeMappingsRoute,
  listAttributeMappingsRoute,
];
