/** What an attribute must be to play a part in its site. */
import type { AttributeDefinition, AttributeMapping, AttributeType } from '../attribute-definition.js';

const TYPE_OF: Readonly<Record<AttributeMapping, AttributeType>> = {
  sku: 'TEXT',
  title: 'TEXT',
  image: 'TEXT',
  active: 'BOOLEAN',
  isVariant: 'BOOLEAN',
};

/** Why an attribute cannot play the part; null: it can. */
export function mappingProblem(mapping: AttributeMapping, attribute: AttributeDefinition): string | null {
  const type = TYPE_OF[mapping];
  if (attribute.type !== type) {
    return `"${mapping}" takes an attribute of type ${type}, and "${attribute.name}" is ${attribute.type}`;
  }
  const { required = false, unique = false } = attribute.validation;
  if (mapping === 'sku' && !(required && unique)) {
    return `"sku" takes an attribute that is required and unique: set both in the validation of "${attribute.name}" first`;
  }
  return null;
}
