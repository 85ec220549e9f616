/** All attribute types. A type whose name is in ATTRIBUTE_TYPE_NAMES and that is missing here does not compile. */

import type { AttributeDefinition, AttributeTypeName } from './attribute-definition.js';
import { ATTRIBUTE_TYPE_NAMES } from './attribute-definition.js';
import type { CompiledAttribute, ValueFormat } from './compiled-attribute.js';
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

// Which attributes variants inherit.

/**
 * Whether variants inherit the value of their parent. The attribute must be declared inheritable, must not differ from
 * item to item anyway, and must not be the one that marks items as variants.
 */
export function isInherited({ type, validation }: AttributeDefinition, marksVariants: boolean): boolean {
  if (ATTRIBUTE_TYPES[type].numbersItems || marksVariants) return false;
  return validation.inheritable === true && validation.unique !== true;
}

// Compiles an attribute's definition into functions that read, check and write its values.

/**
 * @param definition a definition that parse-attribute-input and decide-attribute-change have accepted
 * @param format how the job's file writes numbers and dates
 * @throws Error when the definition's pattern, format or range does not compile; those of a checked definition do
 */
export function compileAttribute(definition: AttributeDefinition, format: ValueFormat): CompiledAttribute {
  const { codec, isFreeText, choices } = ATTRIBUTE_TYPES[definition.type];
  const { fromText, fromJson, toText, doubt } = codec(definition, format);
  const isOpenText = isFreeText && choices(definition) === undefined;
  return { definition, jsonKey: JSON.stringify(definition.id), fromText, fromJson, toText, doubt, isOpenText };
}
