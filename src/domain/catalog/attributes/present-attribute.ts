/** An attribute as the API shows it. */
import type { AttributeDefinition, AttributeLocale, AttributeValidation } from '../model/attribute-definition.js';

interface PresentedAttribute {
  id: string;
  name: string;
  type: string;
  description: string | null;
  textSubType: string | null;
  optionsType: string | null;
  options: string[] | null;
  serialStart: number | null;
  format: string | null;
  locales: AttributeLocale[];
  validation: AttributeValidation;
  createdOn: string;
  modifiedOn: string;
}

/** Fields that the attribute's type does not have are null. Times are ISO 8601 UTC. */
export function presentAttribute(
  definition: AttributeDefinition,
  createdAt: Date,
  updatedAt: Date,
): PresentedAttribute {
  return {
    id: definition.id,
    name: definition.name,
    type: definition.type,
    description: definition.description ?? null,
    textSubType: definition.textSubType ?? null,
    optionsType: definition.optionsType ?? null,
    options: definition.options ?? null,
    serialStart: definition.serialStart ?? null,
    format: definition.format ?? null,
    locales: definition.locales ?? [],
    validation: definition.validation,
    createdOn: createdAt.toISOString(),
    modifiedOn: updatedAt.toISOString(),
  };
}
