/** The endpoints of the attribute mapping. */
import { z } from 'zod';
import { listAttributeMappings } from '../../../domain/catalog/attributes/list-attribute-mappings.js';
import { setAttributeMappings } from '../../../domain/catalog/attributes/set-attribute-mappings.js';
import { ATTRIBUTE_MAPPINGS } from '../../../domain/catalog/model/attribute-definition.js';
import { namedAttribute } from '../../attribute-reference.js';
import { defineRoute } from '../../define-route.js';
import { pageParameters } from '../../list-query.js';
import {
  attributeMappingSchema,
  mapping,
  presentAttributeMapping,
} from '../../presenters/present-attribute-mapping.js';
import { pageSchema, presentPage } from '../../presenters/present-page.js';

const body = z.strictObject({ mappings: z.array(mapping).min(1).max(ATTRIBUTE_MAPPINGS.length) });

export const setAttributeMappingsRoute = defineRoute({
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

export const listAttributeMappingsRoute = defineRoute({
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
