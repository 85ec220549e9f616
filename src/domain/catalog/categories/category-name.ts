/** What a category may be called, and when two names are the same. */
import { attributeKey } from '../../kernel/attribute-key.js';

export const MAX_CATEGORY_NAME_CHARACTERS = 255;

/** The root of every primary tree. Alternate roots may not take the name. */
export const PRIMARY_ROOT_NAME = 'PRIMARY';

/** What uniqueness under one parent and look-ups go by: trimmed, NFC and case-folded, as attribute names are. */
export function categoryKey(name: string): string {
  return attributeKey(name);
}
