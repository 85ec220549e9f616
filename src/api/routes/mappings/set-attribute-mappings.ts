/** POST /api-product/v1/product/attribute/mapping */
import { z } from 'zod';
import { ATTRIBUTE_MAPPINGS } from '../../../domain/catalog/attribute-definition.js';
import { setAttributeMappings } from '../../../domain/catalog/attributes/set-attribute-mappings.js';
import { attributeFields, NAME_ONE_ATTRIBUTE, namedAttribute, namesOneAttribute } from '../../attribute-reference.js';
import { defineRoute } from '../../define-route.js';
import { attributeMappingSchema, presentAttributeMapping } from '../../presenters/present-attribute-mapping.js';

const mapping = z
  .object({ ...attributeFields, mapping: z.enum(ATTRIBUTE_MAPPINGS), required: z.boolean().optional() })
  .refine(namesOneAttribute, NAME_ONE_ATTRIBUTE);

const body = z.object({ mappings: z.array(mapping).min(1).max(ATTRIBUTE_MAPPINGS.length) });

export const setAttributeMappingsRoute = defineRoute({
  method: 'POST',
  path: '/api-product/v1/product/attribute/mapping',
  family: 'catalog',
  tag: 'Attributes',
  summary: 'Set which attributes are the SKU, the title, the image, the active flag and the variant flag',
  description: 'The site must not have items yet. Either all mappings are set, or none.',
  auth: { scope: 'catalog:write' },
  siteContext: true,
  body: { schema: body },
  responses: {
    200: { description: 'The mappings', schema: z.object({ mappings: z.array(attributeMappingSchema) }) },
  },
  async handle({ body: { mappings }, site }, { db }) {
    const changes = mappings.map(({ mapping, required, ...named }) => ({
      mapping,
      required,
      attribute: namedAttribute(named),
    }));
    const mapped = await setAttributeMappings(db, site.siteId, changes);
    return { status: 200, body: { mappings: mapped.map(presentAttributeMapping) } };
  },
});
