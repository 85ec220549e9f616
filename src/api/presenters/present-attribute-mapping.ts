/** The role of an attribute, as the API shows it. */
import { z } from 'zod';
import type { MappedAttribute } from '../../domain/catalog/attributes/list-attribute-mappings.js';
import { ATTRIBUTE_MAPPINGS } from '../../domain/catalog/model/attribute-definition.js';
import { attributeFields, NAME_ONE_ATTRIBUTE, namesOneAttribute } from '../attribute-reference.js';

export const attributeMappingSchema = z
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

export function presentAttributeMapping(mapped: MappedAttribute): PresentedAttributeMapping {
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

export const mapping = z
  .strictObject({ ...attributeFields, mapping: z.enum(ATTRIBUTE_MAPPINGS), required: z.boolean().optional() })
  .refine(namesOneAttribute, NAME_ONE_ATTRIBUTE);
