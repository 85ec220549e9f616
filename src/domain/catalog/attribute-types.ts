/** All attribute types. A type whose name is in ATTRIBUTE_TYPE_NAMES and that is missing here does not compile. */
import { ATTRIBUTE_TYPE_NAMES, type AttributeTypeName } from './model/attribute-definition.js';
import type { AttributeType, TypeField, TypeRule } from './types/attribute-type.js';
import { BOOLEAN } from './types/boolean.js';
import { DATETIME } from './types/datetime.js';
import { DECIMAL } from './types/decimal.js';
import { INTEGER } from './types/integer.js';
import { OPTIONS } from './types/options.js';
import { SERIAL } from './types/serial.js';
import { TEXT } from './types/text.js';
import { URL_TYPE } from './types/url.js';

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
