/** The endpoints of attributes and of the attribute mapping. */
import { z } from 'zod';
import { definitionFromColumns } from '../../domain/catalog/attribute-record.js';
import { attributeInputSchema } from '../../domain/catalog/attributes/attribute-input.js';
import type { MappedAttribute } from '../../domain/catalog/attributes/list-attribute-mappings.js';
import { listAttributeMappings } from '../../domain/catalog/attributes/list-attribute-mappings.js';
import { listAttributes } from '../../domain/catalog/attributes/list-attributes.js';
import { presentAttribute } from '../../domain/catalog/attributes/present-attribute.js';
import { setAttributeMappings } from '../../domain/catalog/attributes/set-attribute-mappings.js';
import { ATTRIBUTE_MAPPINGS, ATTRIBUTE_TYPE_NAMES } from '../../domain/catalog/model/attribute-definition.js';
import { IMPORT_JOBS } from '../../domain/imports/import-jobs.js';
import { acceptBulk, BULK_MAX_BYTES, BULK_MAX_ELEMENTS } from '../accept-bulk.js';
import { attributeFields, NAME_ONE_ATTRIBUTE, namedAttribute, namesOneAttribute } from '../attribute-reference.js';
import { bulkOptions, bulkQuery } from '../bulk-query.js';
import type { Route } from '../define-route.js';
import { defineRoute } from '../define-route.js';
import { pageParameters, searchText, textList } from '../list-query.js';
import { BULK_RESPONSES } from '../presenters/present-job.js';
import { pageSchema, presentPage } from '../presenters/present-page.js';

// An attribute as the API shows it, for the documentation. `presentAttribute` of the domain creates it.

const attributeSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(ATTRIBUTE_TYPE_NAMES),
    description: z.string().nullable(),
    textSubType: z.string().nullable(),
    optionsType: z.string().nullable(),
    options: z.array(z.string()).nullable(),
    serialStart: z.int().nullable(),
    format: z.string().nullable(),
    locales: z.array(z.object({ locale: z.string(), name: z.string() })),
    validation: z.record(z.string(), z.unknown()),
    createdOn: z.iso.datetime(),
    modifiedOn: z.iso.datetime(),
  })
  .meta({ id: 'Attribute' });

// The role of an attribute, as the API shows it.

const attributeMappingSchema = z
  .object({
    attributeId: z.string(),
    attribute: z.string().meta({ description: 'The name of the attribute' }),
    mapping: z.enum(ATTRIBUTE_MAPPINGS),
    target: z.literal('ITEM'),
    required: z.boolean(),
    createdOn: z.iso.datetime(),
    modifiedOn: z.iso.datetime(),
  })
  .meta({ id: 'AttributeMapping' });

type PresentedAttributeMapping = z.output<typeof attributeMappingSchema>;

function presentAttributeMapping(mapped: MappedAttribute): PresentedAttributeMapping {
  const { attributeId, attribute, mapping, required, createdAt, updatedAt } = mapped;
  return {
    attributeId,
    attribute,
    mapping,
    target: 'ITEM',
    required,
    createdOn: createdAt.toISOString(),
    modifiedOn: updatedAt.toISOString(),
  };
}

const elementSchema = attributeInputSchema.meta({
  id: 'AttributeInput',
  examples: [{ action: 'CREATE', name: 'Title', type: 'TEXT', validation: { required: true, maxLength: 120 } }],
});

const bulkAttributesRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/attribute/bulk',
  operationId: 'createAttributes',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'Create, update and delete attributes in bulk',
  description:
    'Elements take effect in order. CREATE with the name of an existing attribute replaces it and keeps its id. Of several elements with the same action and the same name the last wins, and the others fail.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  query: bulkQuery,
  body: {
    raw: 'bulk',
    elementSchema,
    maxBytes: BULK_MAX_BYTES,
    maxElements: BULK_MAX_ELEMENTS,
    example: [
      { action: 'CREATE', name: 'Title', type: 'TEXT', validation: { maxLength: 120 } },
      { action: 'CREATE', name: 'Price', type: 'DECIMAL', validation: { range: { min: 0 } } },
    ],
  },
  audit: 'ATTRIBUTES_CHANGED',
  responses: BULK_RESPONSES.attributes,
  idempotent: true,
  prefersWait: true,
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

const mapping = z
  .strictObject({ ...attributeFields, mapping: z.enum(ATTRIBUTE_MAPPINGS), required: z.boolean().optional() })
  .refine(namesOneAttribute, NAME_ONE_ATTRIBUTE);

const body = z.strictObject({ mappings: z.array(mapping).min(1).max(ATTRIBUTE_MAPPINGS.length) });

const setAttributeMappingsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/attribute/mapping',
  operationId: 'setAttributeMapping',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'Set which attributes are the SKU, the title, the image, the active flag and the variant flag',
  description: 'The site must not have items yet. Either all mappings are set, or none.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: body, example: { mappings: [{ mapping: 'title', name: 'Title' }] } },
  refusals: { 409: 'A job that is waiting or running depends on what the request would change' },
  responses: {
    200: { description: 'The mappings', schema: z.object({ mappings: z.array(attributeMappingSchema) }) },
  },
  audit: 'ATTRIBUTE_MAPPING_CHANGED',
  async handle({ body: { mappings }, site, audit }, { db }) {
    const changes = mappings.map(({ mapping, required, ...named }) => ({
      mapping,
      required,
      attribute: namedAttribute(named),
    }));
    const mapped = await audit.change(
      db,
      (trx) => setAttributeMappings(trx, site.siteId, changes),
      () => null,
    );
    return { status: 200, body: { mappings: mapped.map(presentAttributeMapping) } };
  },
});

const listAttributeMappingsRoute = defineRoute({
  method: 'GET',
  path: '/api-product/v1/product/attribute/mapping',
  operationId: 'getAttributeMapping',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'List the attribute mapping',
  description:
    'The roles that attributes have, such as `sku` and `title`. A role that no attribute has is not in the list.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  query: z.strictObject(pageParameters),
  responses: { 200: { description: 'The mappings, `sku` first', schema: pageSchema(attributeMappingSchema) } },
  async handle({ query: { offset, limit }, site }, { db }) {
    const mapped = await listAttributeMappings(db, site.siteId);
    const page = { rows: mapped.slice(offset, offset + limit), count: mapped.length };
    return { status: 200, body: presentPage(page, { offset, limit }, presentAttributeMapping) };
  },
});

export const attributeRoutes: readonly Route[] = [
  bulkAttributesRoute,
  listAttributesRoute,
  setAttributeMappingsRoute,
  listAttributeMappingsRoute,
];
