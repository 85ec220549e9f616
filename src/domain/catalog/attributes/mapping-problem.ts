/** The conditions on which an attribute can have a role (mapping) in its site. */
import { ATTRIBUTE_TYPES } from '../attribute-types.js';
import type { AttributeDefinition, AttributeMapping } from '../model/attribute-definition.js';
import { ATTRIBUTE_TYPE_NAMES } from '../model/attribute-definition.js';
import type { AttributeType } from '../types/attribute-type.js';

/** Why an attribute cannot have the role; null when it can. */
export function mappingProblem(mapping: AttributeMapping, attribute: AttributeDefinition): string | null {
  const types = ATTRIBUTE_TYPE_NAMES.filter((name) => {
    const { mappings }: AttributeType = ATTRIBUTE_TYPES[name];
    return mappings.includes(mapping);
  });
  if (!types.includes(attribute.type)) {
    const accepted = types.join(' or ');
    return `"${mapping}" accepts an attribute of type ${accepted}, and "${attribute.name}" is ${attribute.type}`;
  }
  const { required = false, unique = false } = attribute.validation;
  if (mapping === 'sku' && !(required && unique)) {
    return `"sku" accepts only an attribute that is required and unique: set both in the validation of "${attribute.name}" first`;
  }
  return null;
}
