/** The limits of category names, and when two names are equal. */
import { attributeKey } from '../../kernel/attribute-key.js';

export const MAX_CATEGORY_NAME_CHARACTERS = 255;

/** The name of the root of every primary tree. The roots of alternate trees may not have it. */
export const PRIMARY_ROOT_NAME = 'PRIMARY';

/** The key by which names are compared: trimmed, in NFC and case-folded, as for attribute names. */
export function categoryKey(name: string): string {
  return attributeKey(name);
}
