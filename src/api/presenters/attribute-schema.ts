/** An attribute as the API shows it, for the documentation. `presentAttribute` of the domain creates it. */
import { z } from 'zod';
import { ATTRIBUTE_TYPE_NAMES } from '../../domain/catalog/model/attribute-definition.js';

export const attributeSchema = z
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
