/** Which attributes variants inherit. */
import type { AttributeDefinition } from '../attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../attribute-types.js';

/**
 * Whether variants have the values of their parent: of attributes declared inheritable, but for those that differ from
 * item to item anyway, and for the one that says whether an item is a variant.
 */
export function isInherited({ type, validation }: AttributeDefinition, saysVariant: boolean): boolean {
  if (ATTRIBUTE_TYPES[type].numbersItems || saysVariant) return false;
  return validation.inheritable === true && validation.unique !== true;
}
