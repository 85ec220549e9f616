/** How requests name an attribute: by `attributeId` or by `name`. */

import type { AttributeReference } from '../domain/catalog/attributes/attribute-reference.js';
import { MAX_NAME_CHARACTERS } from '../domain/catalog/model/attribute-definition.js';
import { plainText } from './plain-text.js';

/** The two fields by which a body names an attribute. */
export const attributeFields = {
  attributeId: plainText(MAX_NAME_CHARACTERS).optional(),
  name: plainText(MAX_NAME_CHARACTERS).optional(),
};

type Named = { readonly attributeId?: string | undefined; readonly name?: string | undefined };

/** For `refine`: checks that exactly one of the two is given. */
export function namesOneAttribute({ attributeId, name }: Named): boolean {
  return (attributeId === undefined) !== (name === undefined);
}

export const NAME_ONE_ATTRIBUTE = 'name the attribute by "attributeId" or by "name", and not by both';

/** The attribute that a body checked with namesOneAttribute names. */
export function namedAttribute({ attributeId, name }: Named): AttributeReference {
  if (attributeId !== undefined) return { id: attributeId };
  if (name !== undefined) return { name };
  throw new TypeError('an attribute must have been named');
}
