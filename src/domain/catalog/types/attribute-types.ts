/** All attribute types. A type whose name is in ATTRIBUTE_TYPE_NAMES and that is missing here does not compile. */
import { ATTRIBUTE_TYPE_NAMES, type AttributeTypeName } from '../attribute-definition.js';
import type { AttributeType, TypeField, TypeRule } from './attribute-type.js';
import { BOOLEAN } from './boolean.js';
import { DATETIME } from './datetime.js';
import { DECIMAL } from './decimal.js';
import { INTEGER } from './integer.js';
import { OPTIONS } from './options.js';
import { SERIAL } from './serial.js';
import { TEXT } from './text.js';
import { URL_TYPE } from './url.js';

export const ATTRIBUTE_TYPES = {
  TEXT,
  INTEGER,
  DECIMAL,
  BOOLEAN,
  DATETIME,
  SERIAL,
  OPTIONS,
  URL: URL_TYPE,
} satisfies Record<AttributeTypeName, AttributeType>;

/** The types whose definitions have a field or rule of their own. */
export function typesWith(part: TypeField | TypeRule): readonly AttributeTypeName[] {
  return ATTRIBUTE_TYPE_NAMES.filter((name) => {
    const { fields, rules }: AttributeType = ATTRIBUTE_TYPES[name];
    return [...fields, ...rules].includes(part);
  });
}
