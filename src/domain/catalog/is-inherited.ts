/** Which attributes variants inherit. */
import { ATTRIBUTE_TYPES } from './attribute-types.js';
import type { AttributeDefinition } from './model/attribute-definition.js';

/**
 * Whether variants inherit the value of their parent. The attribute must be declared inheritable, must not differ from
 * item to item anyway, and must not be the one that marks items as variants.
 */
export function isInherited({ type, validation }: AttributeDefinition, marksVariants: boolean): boolean {
  if (ATTRIBUTE_TYPES[type].numbersItems || marksVariants) return false;
  return validation.inheritable === true && validation.unique !== true;
}
